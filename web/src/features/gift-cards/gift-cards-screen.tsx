import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Gift } from 'lucide-react'
import type { GiftCard } from '@/api/types.gen'
import { RecordRow, RecordsPage } from '@/components/layout/page-records'
import { Pair, Pairs, Usd } from '@/components/money/money'
import { giftCards as texts } from '@/messages/gift-cards'
import { HoldNotice } from '../orders/hold-notice'
import { giftCardLooks } from './looks'
import { giftCardsQuery } from './queries'

export function GiftCardsScreen() {
  return (
    <RecordsPage
      query={useInfiniteQuery(giftCardsQuery)}
      title={texts.title}
      lead={texts.lead}
      notice={<HoldNotice of="account" className="mb-4" />}
      failed={texts.fetchFailed}
      make={{ hash: 'gift-cards', title: texts.sell }}
      empty={{ icon: Gift, title: texts.empty, hint: texts.emptyHint }}
    >
      {(card) => <GiftCardRow card={card} />}
    </RecordsPage>
  )
}

function GiftCardRow({ card }: { card: GiftCard }) {
  return (
    <RecordRow
      heading={
        <Link to="/gift-cards/$id" params={{ id: card.id }} className="rounded-sm hover:underline">
          {card.brandLabel} · <Usd amount={card.value} />
        </Link>
      }
      of={card}
      look={giftCardLooks[card.status]}
    >
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
    </RecordRow>
  )
}
