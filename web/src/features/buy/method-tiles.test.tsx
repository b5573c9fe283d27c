import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test, vi } from 'vitest'
import type { BuyMethod, Limits } from '@/api/types.gen'
import { configQuery, defaultConfig } from '@/lib/session'
import { buy } from '@/messages/buy'
import { buyMethods, MethodTiles } from './method-tiles'
import { limitsQuery } from './queries'

vi.mock('@tanstack/react-router', () => ({ Link: 'a' }))

interface Case {
  rails: string[]
  enabled?: (method: string) => boolean
  paused?: string
  balance?: string
}

function shown({ rails, enabled = () => true, paused, balance = '0.00' }: Case): string {
  const client = new QueryClient()
  client.setQueryData(configQuery.queryKey, {
    ...defaultConfig,
    offer: { ...defaultConfig.offer, rails, languages: ['en', 'es'] },
  })
  const methods = buyMethods.map((method) => ({
    method,
    isEnabled: enabled(method),
    paused: paused ?? null,
    margin: '3.5',
    processingFee: '0.00',
  }))
  client.setQueryData(limitsQuery.queryKey, { methods: methods as BuyMethod[] } as Limits)
  return renderToStaticMarkup(
    <QueryClientProvider client={client}>
      <MethodTiles balance={balance} value="" error={undefined} onChange={() => undefined} />
    </QueryClientProvider>,
  )
}

test('where no method is left, that is said, with the way to support', () => {
  for (const none of [
    { rails: [] },
    { rails: ['card', 'zelle'], enabled: () => false },
    { rails: [...buyMethods], enabled: (method: string) => method === 'balance' }, // with nothing on it
  ]) {
    const page = shown(none)
    expect(page).toContain(buy.noMethodsTitle)
    expect(page).toContain('/support')
    expect(page).not.toContain('type="radio"')
    expect(page, 'no times of methods that are not there').not.toContain(buy.timings)
  }
})

test('a method that is paused stays, and says why', () => {
  const page = shown({ rails: ['card'], paused: 'Cards are paused until noon.' })
  expect(page).toContain('Cards are paused until noon.')
  expect(page).not.toContain(buy.noMethodsTitle)
})

test('the balance alone is a way to pay while there is one', () => {
  const page = shown({ rails: [...buyMethods], enabled: (method) => method === 'balance', balance: '25.00' })
  expect(page).toContain(buy.balanceHas('$25.00'))
  expect(page).not.toContain(buy.noMethodsTitle)
})
