// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { AdminGiftCard } from '@/api/types.gen'
import { catalogueQuery } from '@/features/gift-cards/queries'
import { userQuery } from '@/lib/session'
import { defaultUser } from '@/lib/session.fixture'
import { type CardAction, GiftCardDecision } from './gift-card-decision'
import { cardDecisions } from './queries'

let root: Root
const card = {
  id: '018f7e0a-0000-7000-8000-00000000beef',
  reference: 'GC-TEST',
  customerName: 'Casey Lin',
  customerEmail: 'casey@example.com',
  value: '50.00',
  payout: '37.50',
  paid: '37.50',
  confirmedValue: '50.00',
  twoAbove: '1000.00',
  firstApprovedBy: null,
  firstValue: null,
  status: 'in_review',
} as AdminGiftCard

const done = { state: 'done', message: '' } as Awaited<ReturnType<typeof cardDecisions.reject>>

beforeEach(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
  sessionStorage.clear()
  document.body.innerHTML = '<main></main>'
  root = createRoot(document.querySelector('main') as HTMLElement)
  for (const name of ['approve', 'reject', 'realise'] as const)
    vi.spyOn(cardDecisions, name).mockResolvedValue(done)
})

afterEach(() => {
  act(() => root.unmount())
  vi.restoreAllMocks()
})

function write(field: HTMLInputElement | HTMLTextAreaElement | null, text: string): void {
  const of = field instanceof HTMLTextAreaElement ? HTMLTextAreaElement : HTMLInputElement
  act(() => {
    Object.getOwnPropertyDescriptor(of.prototype, 'value')?.set?.call(field, text)
    field?.dispatchEvent(new Event('input', { bubbles: true }))
  })
}

test.each<[CardAction, Record<string, string>, string[]]>([
  ['approve', { '#card-value': '50' }, [card.id, '50']],
  ['reject', { textarea: 'The PIN does not fit.' }, [card.id, 'The PIN does not fit.']],
  ['realise', { '#realised-amount': '45', '#realised-reference': 'batch 7' }, [card.id, '45', 'batch 7']],
])('a gift card: Ctrl-Enter confirms %s in its last field, once', async (action, fields, given) => {
  const client = new QueryClient()
  client.setQueryData(userQuery.queryKey, defaultUser)
  client.setQueryData(catalogueQuery.queryKey, {
    exchangeRate: '0.85',
    flatFee: '5.00',
  } as never)
  client.setQueryDefaults(catalogueQuery.queryKey, { staleTime: Number.POSITIVE_INFINITY })
  const closed = vi.fn()
  act(() =>
    root.render(
      <QueryClientProvider client={client}>
        <GiftCardDecision card={card} action={action} onClose={closed} />
      </QueryClientProvider>,
    ),
  )
  let last: HTMLInputElement | HTMLTextAreaElement | null = null
  for (const [field, text] of Object.entries(fields)) {
    last = document.querySelector(`[role=dialog] ${field}`)
    write(last, text)
  }
  await act(async () => {
    last?.focus()
    last?.dispatchEvent(
      new KeyboardEvent('keydown', { key: 'Enter', ctrlKey: true, bubbles: true, cancelable: true }),
    )
  })
  await vi.waitFor(() => expect(closed).toHaveBeenCalledOnce(), 30_000)
  expect(cardDecisions[action]).toHaveBeenCalledOnce()
  expect(vi.mocked(cardDecisions[action]).mock.calls[0]?.slice(0, given.length)).toEqual(given)
})
