import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Payout } from '@/api/types.gen'
import { MoreButton } from '@/components/form/more-button'
import { Usd } from '@/components/money/money'
import { Failed, LoadingRows } from '@/components/states/states'
import { StatusBadge } from '@/components/status/badge'
import { Time } from '@/components/status/time'
import { Card, CardTitle } from '@/components/ui/card'
import { rowsOf } from '@/lib/paging'
import { payouts as texts } from '@/messages/payouts'
import { payoutLooks } from './looks'
import { payoutsQuery } from './queries'

/** A customer's payouts, newest first. */
export function PayoutsCard() {
  const query = useInfiniteQuery(payoutsQuery)
  const rows = rowsOf(query.data?.pages)
  return (
    <Card>
      <CardTitle className="mb-2">{texts.title}</CardTitle>
      {query.error ? (
        <Failed title={texts.fetchFailed} error={query.error} retry={() => void query.refetch()} />
      ) : null}
      {query.isPending ? <LoadingRows rows={1} /> : null}
      {query.data && rows.length === 0 ? (
        <p className="text-sm text-muted-foreground">
          {texts.empty}. {texts.emptyHint}
        </p>
      ) : null}
      <ul className="divide-y">
        {rows.map((payout) => (
          <PayoutRow key={payout.id} payout={payout} />
        ))}
      </ul>
      <MoreButton query={query} />
    </Card>
  )
}

function PayoutRow({ payout }: { payout: Payout }) {
  return (
    <li className="relative flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-3">
      <div className="min-w-0">
        <p className="font-medium">
          <Link
            to="/payouts/$id"
            params={{ id: payout.id }}
            className="rounded-sm after:absolute after:inset-0 hover:underline"
          >
            <Usd amount={payout.amount} />
            <span className="sr-only"> {payout.reference}</span>
          </Link>
        </p>
        <p className="text-sm text-muted-foreground">
          {texts.to(payout.accountKind, payout.accountLast4)} · <Time at={payout.createdAt} />
        </p>
      </div>
      <StatusBadge look={payoutLooks[payout.status]} />
    </li>
  )
}
