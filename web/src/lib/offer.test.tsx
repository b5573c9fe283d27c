import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { useOffered } from './offer'
import { configQuery, defaultConfig } from './session'

const asked = ['card', 'wire', undefined]

function Ways() {
  return asked
    .filter(useOffered('rails'))
    .map((way) => way ?? 'none')
    .join(' ')
}

test.each([
  ['all of them without a server', [], [], 'card wire none'],
  ['those of the first view', ['wire'], [], 'wire none'],
  ['those of this person’s country', ['wire', 'gift_card'], ['en', 'es'], 'wire none'],
  ['none where none is left', [], ['en'], 'none'],
])('rails that are offered: %s', (_, rails, languages, shown) => {
  const client = new QueryClient()
  const offer = { ...defaultConfig.offer, rails, languages }
  client.setQueryData(configQuery.queryKey, { ...defaultConfig, offer })
  const page = (
    <QueryClientProvider client={client}>
      <Ways />
    </QueryClientProvider>
  )
  expect(renderToStaticMarkup(page)).toBe(shown)
})
