import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query'
import type { Config, User as SentUser, Session } from '@/api/types.gen'
import { appFetch, HttpError } from './http'

export type { Config } from '@/api/types.gen'

type Optional = 'consentDue' | 'hold'

/** The signed-in person. Whoever owes the second factor has the details of nobody (toUser). */
export type User = Required<Omit<SentUser, Optional>> & Pick<SentUser, Optional>

/** What the page has before its first paint. */
export interface PageSession {
  user: User | null
  config: Config
}

/** For what is rendered without a server: the first views and the tests. */
export const defaultConfig: Config = {
  brand: 'Tradepost',
  mode: 'production',
  tidioPublicKey: null,
  temporalUiUrl: null,
  supportEmail: '',
  imprint: '',
  legal: [],
  passwordUrl: null,
  addressUrl: null,
  sumsubBaseUrl: '',
  claims: {
    signupBonusUsd: '',
    kycFreeUnderUsd: null,
    cardFeePercent: '3.5',
    achFeePercent: '1.5',
    kycReviewMinutes: '',
    responseTime: '',
    countries: '',
    tokens: '',
    processedUsd: '',
    users: '',
    standards: '',
  },
  offer: { assets: [], networks: {}, rails: [], languages: [] },
}

// The generated client is not used here: these two calls are in the first chunk of every page.
async function read<T>(path: string, signal?: AbortSignal): Promise<T> {
  const response = await appFetch(path, signal ? { signal } : {})
  return (await response.json()) as T
}

export const userQuery = queryOptions({
  queryKey: ['user'],
  queryFn: async ({ signal }): Promise<User | null> => {
    try {
      return toUser(await read<SentUser>('/api/auth/user', signal))
    } catch (error) {
      if (error instanceof HttpError && error.status === 401) return null
      throw error
    }
  },
})

export const configQuery = queryOptions({
  queryKey: ['config'],
  queryFn: ({ signal }) => read<Config>('/api/config', signal),
})

/** The session that the server wrote into the page; without one (the development server) it is fetched. */
export async function loadSession(client: QueryClient): Promise<PageSession> {
  const session = readInline() ?? toSession(await read<Session>('/api/session'))
  client.setQueryData(userQuery.queryKey, session.user)
  client.setQueryData(configQuery.queryKey, session.config)
  return session
}

function readInline(): PageSession | undefined {
  const value: unknown = JSON.parse(document.getElementById('session')?.textContent ?? 'null')
  return value === null ? undefined : toSession(value as Session)
}

function toSession(session: Session): PageSession {
  return { user: session.user ? toUser(session.user) : null, config: session.config }
}

/** The server sends no details to a session that owes the second factor; only the dialog that asks for it is shown then. */
const withoutDetails: Omit<User, keyof OwingUser> = {
  email: '',
  emailVerified: true,
  firstName: '',
  lastName: '',
  profileImageUrl: null,
  country: '',
  isAdmin: false,
  roles: [],
  permissions: [],
  accountBalance: '0.00',
  kycStatus: 'not_started',
  kycLevel: 'none',
  volumeTier: '',
}

type OwingUser = Pick<SentUser, 'id' | 'needs2FA' | 'twoFactorEnabled' | 'twoFactorVerified' | Optional>

export function toUser(sent: SentUser): User {
  return { ...withoutDetails, ...sent }
}

/** The person signed in, or null; kept fresh by the queries that change it. */
export function useUser(): User | null {
  return useQuery(userQuery).data ?? null
}

/** For screens behind the guard, where there always is a person. */
export function useSignedInUser(): User {
  const user = useUser()
  if (!user) throw new Error('a signed-in screen was shown without a session')
  return user
}

/** The page's own, which is there before anything is shown (loadSession). */
export function useConfig(): Config {
  return useQuery(configQuery).data as Config
}

/** specification §4: the user's kycStatus must equal verified to buy. */
export function isVerified(user: User | null): boolean {
  return user?.kycStatus === 'verified'
}
