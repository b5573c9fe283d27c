// @vitest-environment jsdom
import { QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, RouterProvider } from '@tanstack/react-router'
import { act, Component, type ReactNode } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { answerTo } from './answers.fixture'
import { translate } from './jsx/translate.fixture'
import { configQuery, defaultConfig, type User, userQuery } from './lib/session'
import { defaultUser } from './lib/session.fixture'
import { pages } from './pages'
import { createAppRouter, createQueryClient } from './router'
import { routeTree } from './routeTree.gen'

/**
 * Every page of the app, translated by the browser, while all that it reads changes: it shows what it would show
 * untranslated. The pages are those of pages.ts; which of them update by themselves, their queries say.
 */
vi.setConfig({ testTimeout: 120_000 })

const NOW = Date.UTC(2026, 10, 29, 12)
const ID = '018f7e0a-0000-7000-8000-00000000beef'
const FIRST = 'a'
/** What it is changed to, one after another: back to the first, too. */
const orderOf = {
  public: ['b', FIRST],
  admin: ['b', FIRST],
  signedin: ['b', 'c', FIRST],
  customer: ['b', 'c', FIRST],
}

/** What the server answers with at the moment. */
let seed = 'a'

/** Who is signed in, and what the account says of their identity: the same as the identity's own page. */
let signedIn: User | null = null

function person(): unknown {
  const identity = answerTo('/api/kyc/status', seed, NOW) as { kycStatus?: string; status?: string }
  return { ...signedIn, kycStatus: identity.kycStatus ?? identity.status }
}

vi.mock('@/lib/http', async (original) => ({
  ...(await original<object>()),
  appFetch: async (call: { url: string } | string) => {
    const url = typeof call === 'string' ? call : call.url
    const body = url === '/api/auth/user' ? person() : answerTo(url, seed, NOW)
    if (body === undefined) throw new Error(`no answer to ${url}`)
    return new Response(JSON.stringify(body), { headers: { 'Content-Type': 'application/json' } })
  },
}))

/** Every permission that any page asks about. */
const sources = import.meta.glob<string>('./**/*.{ts,tsx}', { query: '?raw', import: 'default', eager: true })
const permissions = [
  ...new Set(
    Object.values(sources).flatMap((text) =>
      [...text.matchAll(/'([a-z]+(?:_[a-z]+)+)'/g)].map(([, name]) => name ?? ''),
    ),
  ),
]

const customer: User = {
  ...defaultUser,
  kycStatus: 'verified',
  kycLevel: 'enhanced',
  twoFactorEnabled: true,
  twoFactorVerified: true,
}
const admin: User = { ...customer, isAdmin: true, roles: ['admin'], permissions }

const config = {
  ...defaultConfig,
  offer: {
    ...defaultConfig.offer,
    assets: ['BTC', 'ETH', 'USDT', 'USDC'],
    networks: { BTC: ['bitcoin'], ETH: ['ethereum'], USDT: ['ethereum', 'tron'], USDC: ['ethereum'] },
  },
} as typeof defaultConfig

let caught: unknown

class Boundary extends Component<{ children: ReactNode }> {
  override state = { failed: false }
  static getDerivedStateFromError() {
    return { failed: true }
  }
  override componentDidCatch(error: unknown) {
    caught = error
  }
  override render() {
    return this.state.failed ? null : this.props.children
  }
}

interface Page {
  root: Root
  element: HTMLElement
  client: ReturnType<typeof createQueryClient>
}

const open = new Set<Page>()

async function close(page: Page): Promise<void> {
  open.delete(page)
  await act(() => page.root.unmount())
  page.client.clear()
  page.element.remove()
}

async function settle({ client }: Page): Promise<void> {
  await act(() => vi.dynamicImportSettled())
  let still = 0
  for (let round = 0; round < 60 && still < 4; round += 1) {
    await act(() => new Promise((resolve) => setTimeout(resolve)))
    still = client.isFetching() === 0 ? still + 1 : 0
  }
}

async function mount(path: string, user: User | null): Promise<Page> {
  const client = createQueryClient()
  client.setQueryData(userQuery.queryKey, user)
  client.setQueryData(configQuery.queryKey, config)
  const router = createAppRouter(routeTree, client, createMemoryHistory({ initialEntries: [path] }))
  router.options.defaultErrorComponent = ({ error }) => {
    caught = error
    return null
  }
  await router.load()
  const element = document.createElement('div')
  document.body.append(element)
  const root = createRoot(element)
  const page = { root, element, client }
  open.add(page)
  await act(() =>
    root.render(
      <Boundary>
        <QueryClientProvider client={client}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </Boundary>,
    ),
  )
  await settle(page)
  return page
}

/** Where two texts part, with what is around. */
function parting(one: string, other: string | undefined): string | undefined {
  if (one === other) return undefined
  let at = 0
  while (one[at] === other?.[at]) at += 1
  return `“${one.slice(Math.max(0, at - 30), at + 50)}”, not “${other?.slice(Math.max(0, at - 30), at + 50)}”`
}

const shown = ({ element }: Page) => (element.textContent ?? '').replace(/\s+/g, ' ')

async function change(page: Page, next: string): Promise<void> {
  seed = next
  await act(() =>
    page.client.refetchQueries({
      type: 'active',
      predicate: ({ queryKey: [first] }) => first !== 'user' && first !== 'config',
    }),
  )
  await settle(page)
}

/** Does something on it read the server again by itself? */
const updatesItself = ({ client }: Page) =>
  client
    .getQueryCache()
    .getAll()
    .some((query) => query.observers.some(({ options }) => options.refetchInterval))

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW })
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
  vi.stubGlobal('scrollTo', () => undefined)
  vi.stubGlobal('matchMedia', () => ({ matches: true, addEventListener() {}, removeEventListener() {} }))
  const Observer = class {
    observe() {}
    unobserve() {}
    disconnect() {}
  }
  vi.stubGlobal('IntersectionObserver', Observer)
  vi.stubGlobal('ResizeObserver', Observer)
  vi.stubGlobal(
    'Request',
    class {
      headers = new Headers()
      constructor(
        readonly url: string,
        readonly init?: RequestInit,
      ) {}
    },
  )
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  vi.spyOn(console, 'warn').mockImplementation(() => undefined)
  caught = undefined
})

afterEach(async () => {
  for (const page of open) await close(page)
  vi.restoreAllMocks()
})

/** Pages whose answers are not made here yet: what the contract allows by itself does not fit together on them. */
const unmade = ['/admin/kyc/{id}', '/admin/gift-cards/{id}']

/** What these pages read again shows only where something is under way. */
const quiet = ['customer /settings']

/** Pages that read the server again by themselves, as their queries say. */
const updating: string[] = []

const cases = pages
  .filter(([pattern]) => !unmade.includes(pattern))
  .map(([pattern, access]) => [access, pattern] as const)

test.each(cases)('translated: %s %s', async (access, pattern) => {
  const user = access === 'public' ? null : access === 'admin' ? admin : customer
  const path = pattern.replace('{document}', 'aml').replace('{id}', ID)
  seed = FIRST
  signedIn = user
  const order = orderOf[access]
  // Once for what a page loads late. Then one at a time: both would name the window.
  await close(await mount(path, user))
  caught = undefined
  const said: string[] = []
  const plain = await mount(path, user)
  said.push(shown(plain))
  for (const next of order) {
    await change(plain, next)
    if (caught) throw caught
    said.push(shown(plain))
  }
  const updates = updatesItself(plain)
  await close(plain)

  seed = FIRST
  const foreign = await mount(path, user)
  expect(parting(shown(foreign), said[0])).toBeUndefined()
  for (const [at, next] of order.entries()) {
    translate(foreign.element)
    await change(foreign, next)
    if (caught) throw caught
    expect(parting(shown(foreign), said[at + 1])).toBeUndefined()
  }
  if (updates) {
    updating.push(`${access} ${pattern}`)
    if (!quiet.includes(`${access} ${pattern}`))
      expect(new Set(said).size, 'what it reads shows').toBeGreaterThan(1)
  }
})

test('the pages that update by themselves are among them', () => {
  expect(updating.length).toBeGreaterThan(35)
  for (const path of [
    '/dashboard',
    '/buy',
    '/orders',
    '/orders/{id}',
    '/kyc',
    '/gift-cards',
    '/gift-cards/{id}',
    '/vouchers/{id}',
    '/wallet',
    '/balance',
    '/support/{id}',
  ])
    expect(updating).toContain(`customer ${path}`)
  for (const path of ['/admin/orders', '/admin/payments']) expect(updating).toContain(`admin ${path}`)
})
