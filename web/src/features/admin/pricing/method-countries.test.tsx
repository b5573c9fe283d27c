// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { MethodCountries } from './method-countries'
import { locationPricingQuery } from './queries'

let root: Root
let client: QueryClient
let chosen: string[][] = []

beforeEach(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
  vi.stubGlobal('fetch', () => new Promise(() => {}))
  chosen = []
  document.body.innerHTML = '<div></div>'
  client = new QueryClient()
  client.setQueryData(locationPricingQuery.queryKey, {
    locations: [],
    countries: ['AT', 'CA', 'IS', 'US'],
  })
  root = createRoot(document.querySelector('div') as HTMLElement)
  act(() =>
    root.render(
      <QueryClientProvider client={client}>
        <MethodCountries
          id="countries"
          name="Revolut"
          countries={['AT', 'US']}
          error={undefined}
          onChange={(countries) => chosen.push(countries)}
        />
      </QueryClientProvider>,
    ),
  )
})

afterEach(() => {
  act(() => root.unmount())
  client.clear()
  vi.unstubAllGlobals()
})

const list = () => document.querySelector('select') as HTMLSelectElement

test('a country is added from those that are not listed, in the order of the codes', () => {
  expect([...list().options].map(({ text }) => text)).toEqual(['Choose a country', 'Canada', 'Iceland'])
  act(() => {
    list().value = 'CA'
    list().dispatchEvent(new Event('change', { bubbles: true }))
  })
  expect(chosen).toEqual([['AT', 'CA', 'US']])
})

test('a country is removed by its button, and the focus stays', () => {
  const buttons = [...document.querySelectorAll('button')]
  expect(buttons.map(({ textContent }) => textContent)).toEqual([
    'Remove Austria Revolut',
    'Remove United States Revolut',
  ])
  act(() => buttons[0]?.click())
  expect(chosen).toEqual([['US']])
  expect(document.activeElement).toBe(list())
})
