import { queryOptions } from '@tanstack/react-query'
import type { DueConsent, LegalText, User as SentUser } from '@/api/types.gen'
import { appFetch } from '@/lib/http'
import { toUser, type User } from '@/lib/session'
import { firstText } from './text'

type Shown = Pick<LegalText, 'html'> & Partial<LegalText>

async function read(document: string, version: string, signal: AbortSignal): Promise<LegalText> {
  const path = `/api/legal/${document}${version && `?version=${encodeURIComponent(version)}`}`
  return (await (await appFetch(path, { signal })).json()) as LegalText
}

// Without the generated client: these pages are visitors', and each call of it is in everyone's first load.
export const legalQuery = (document: string, version = '') =>
  queryOptions({
    queryKey: ['legal', document, version],
    queryFn: ({ signal }): Promise<Shown> => read(document, version, signal),
    initialData: (): Shown | undefined => firstText('legal'),
    staleTime: Number.POSITIVE_INFINITY,
  })

/** Several at once. (useQueries would be in the first load of every page.) */
export const dueQuery = (due: DueConsent[]) =>
  queryOptions({
    queryKey: ['legal', due],
    queryFn: ({ signal }) => Promise.all(due.map(({ document, version }) => read(document, version, signal))),
  })

export async function agree(consents: DueConsent[]): Promise<User> {
  const answer = await appFetch('/api/consents', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ consents }),
  })
  return toUser((await answer.json()) as SentUser)
}
