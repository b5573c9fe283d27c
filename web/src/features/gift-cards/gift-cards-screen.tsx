import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Gift, Plus } from 'lucide-react'
import type { GiftCard } from '@/api/types.gen'
import { MoreButton } from '@/components/form/more-button'
import { Page } from '@/components/layout/page'
import { Pair, Pairs, Usd } from '@/components/money/money'
import { Failed, LoadingRows, NothingYet } from '@/components/states/states'
import { StatusBadge } from '@/components/status/badge'
import { Time } from '@/components/status/time'
import { buttonVariants } from '@/components/ui/button-variants'
import { Card } from '@/components/ui/card'
import { rowsOf } from '@/lib/paging'
import { giftCards as texts } from '@/messages/gift-cards'
import { giftCardLooks } from './looks'
import { giftCardsQuery } from './queries'

export function GiftCardsScreen() {
  const query = useInfiniteQuery(giftCardsQuery)
  const rows = rowsOf(query.data?.pages)
  const sell = (
    <Link to="/dashboard" hash="gift-cards" className={buttonVariants()}>
      <Plus aria-hidden />
      {texts.sell}
    </Link>
  )
  return (
    <Page title={texts.title} lead={texts.lead} actions={sell}>
      {query.error ? (
        <Failed
          className="mb-4"
          title={texts.fetchFailed}
          error={query.error}
          retry={() => void query.refetch()}
        />
      ) : null}
      {query.isPending ? <LoadingRows rows={3} /> : null}
      {query.isSuccess && rows.length === 0 ? (
        <Card>
          <NothingYet icon={Gift} title={texts.empty} hint={texts.emptyHint} />
        </Card>
      ) : null}
      <ul className="space-y-4">
        {rows.map((card) => (
          <li key={card.id}>
            <GiftCardRow card={card} />
          </li>
        ))}
      </ul>
      <MoreButton query={query} />
    </Page>
  )
}

function GiftCardRow({ card }: { card: GiftCard }) {
  return (
    <Card>
      <div className="flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0">
          <h2 className="text-lg">
            <Link to="/gift-cards/$id" params={{ id: card.id }} className="rounded-sm hover:underline">
              {card.brandLabel} · <Usd amount={card.value} />
            </Link>
          </h2>
          <p className="text-sm text-muted-foreground">
            {card.reference} · <Time at={card.createdAt} />
          </p>
        </div>
        <StatusBadge look={giftCardLooks[card.status]} />
      </div>
      <div className="mt-4 border-t pt-4">
        <Pairs>
          {card.paid ? (
            <Pair name={texts.credited} strong>
              <Usd amount={card.paid} />
            </Pair>
          ) : (
            <Pair name={texts.offered}>
              <Usd amount={card.payout} />
            </Pair>
          )}
        </Pairs>
        {card.rejectReason ? (
          <p className="mt-2 text-sm wrap-anywhere text-danger-text">{card.rejectReason}</p>
        ) : null}
      </div>
    </Card>
  )
}
