import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Profile } from '@/api/types.gen'
import { Page } from '@/components/layout/page'
import { Failed, LoadingRows } from '@/components/states/states'
import { settings as texts } from '@/messages/settings'
import { profileQuery } from './queries'

interface OfProfileProps {
  title: string
  lead: string
  children: (profile: Profile) => ReactNode
}

/** A section that shows the profile once it is loaded. */
export function OfProfile({ title, lead, children }: OfProfileProps) {
  const query = useQuery(profileQuery)
  return (
    <Page title={title} lead={lead}>
      {query.data ? <div className="space-y-6">{children(query.data)}</div> : null}
      {!query.data && query.error ? (
        <Failed title={texts.fetchFailed} error={query.error} retry={() => void query.refetch()} />
      ) : null}
      {query.isPending ? <LoadingRows rows={2} /> : null}
    </Page>
  )
}
