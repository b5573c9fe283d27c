import type { LedgerPosting, TakenDecision } from '@/api/types.gen'
import { Usd } from '@/components/money/money'
import { Time } from '@/components/status/time'
import { Card, CardTitle } from '@/components/ui/card'
import { spaced, titled } from '@/lib/format'
import { useSignedInUser } from '@/lib/session'
import { records as texts } from '@/messages/admin-records'
import { debitAndCredit } from './account-name'

interface RecordsProps {
  decisions: readonly TakenDecision[]
  /** Left out where a record books nothing. */
  postings?: readonly LedgerPosting[]
}

/** Who decided what about a record, and what was booked for it. */
export function Records({ decisions, postings }: RecordsProps) {
  return (
    <Card>
      <CardTitle className="mb-3">{texts.decisions}</CardTitle>
      {decisions.length === 0 ? (
        <p className="text-sm text-muted-foreground">{texts.noDecisions}</p>
      ) : (
        <ul className="divide-y text-sm">
          {decisions.map((taken) => (
            <li key={taken.id} className="py-2 wrap-anywhere first:pt-0 last:pb-0">
              <p className="flex flex-wrap justify-between gap-x-4">
                <span>
                  <span className="font-medium">{titled(taken.kind)}</span>
                  {taken.outcome ? ` · ${spaced(taken.outcome)}` : ''}
                </span>
                <span className="text-muted-foreground">
                  {taken.actor} · <Time at={taken.createdAt} />
                </span>
              </p>
              {taken.reason ? <p className="mt-0.5">{taken.reason}</p> : null}
            </li>
          ))}
        </ul>
      )}
      {postings ? <Postings postings={postings} /> : null}
    </Card>
  )
}

/** For those who may read the ledger; the server sends the postings to nobody else. */
function Postings({ postings }: { postings: readonly LedgerPosting[] }) {
  if (!useSignedInUser().permissions.includes('read_ledger')) return null
  return (
    <>
      <h3 className="mt-5 mb-2 text-sm font-semibold">{texts.ledger}</h3>
      {postings.length === 0 ? (
        <p className="text-sm text-muted-foreground">{texts.noPostings}</p>
      ) : (
        <ul className="space-y-2 text-sm">
          {postings.map((posting) => (
            <li key={posting.id} className="flex flex-wrap justify-between gap-x-4">
              <span className="min-w-0 wrap-anywhere">{debitAndCredit(posting)}</span>
              <Usd amount={posting.amount} className="font-medium" />
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
