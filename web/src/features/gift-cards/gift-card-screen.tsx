import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Ban, CircleCheck, CircleX, Clock, Hourglass } from 'lucide-react'
import type { GiftCardClaim, GiftCardDetail } from '@/api/types.gen'
import { Copyable } from '@/components/form/copyable'
import { RecordPage } from '@/components/layout/page-record'
import { Pair, Pairs, Usd } from '@/components/money/money'
import { Notice } from '@/components/states/states'
import { StatusBadge } from '@/components/status/badge'
import { Time } from '@/components/status/time'
import { Card, CardTitle } from '@/components/ui/card'
import { usd } from '@/lib/format'
import { isPositive } from '@/lib/money'
import { common } from '@/messages/common'
import { giftCards as texts } from '@/messages/gift-cards'
import { HoldNotice } from '../orders/hold-notice'
import { HelpLink } from '../support/help-link'
import { giftCardLooks } from './looks'
import { Offer } from './offer'
import { giftCardQuery } from './queries'
import { GiftCardStory } from './story'

export function GiftCardScreen({ id }: { id: string }) {
  return (
    <RecordPage
      query={useQuery(giftCardQuery(id))}
      title={(card) => (card ? `${card.brandLabel} · ${usd(card.value)}` : texts.facts)}
      status={(card) => <StatusBadge look={giftCardLooks[card.status]} />}
      failed={texts.fetchFailed}
      notice={<HoldNotice of="account" className="mb-4" />}
      back={{ to: '/gift-cards', title: texts.mine }}
    >
      {(card) => <Loaded card={card} />}
    </RecordPage>
  )
}

function Loaded({ card }: { card: GiftCardDetail }) {
  return (
    <div className="space-y-6">
      <Situation card={card} />
      <div className="grid items-start gap-6 lg:grid-cols-2">
        <Facts card={card} />
        <Card>
          <CardTitle className="mb-4">{texts.story}</CardTitle>
          <GiftCardStory events={card.events} />
        </Card>
      </div>
    </div>
  )
}

/** Where the card stands, why, and what comes next. */
function Situation({ card }: { card: GiftCardDetail }) {
  if (card.claim) return <Claim card={card} claim={card.claim} />
  if (card.status === 'approved')
    return (
      <Notice tone="success" icon={CircleCheck} role="status" title={texts.approvedTitle}>
        {texts.approvedText(usd(card.paid))}{' '}
        <Link to="/balance" className="font-medium underline underline-offset-4">
          {texts.balance}
        </Link>
      </Notice>
    )
  if (card.status === 'rejected')
    return (
      <Notice tone="danger" icon={CircleX} role="status" title={texts.rejectedTitle}>
        <p className="wrap-anywhere">{card.rejectReason}</p>
        <p className="mt-1">{texts.rejectedHint}</p>
      </Notice>
    )
  if (card.offer) return <Offer card={card} offer={card.offer} />
  if (card.status === 'declined')
    return (
      <Notice tone="pending" icon={Ban} role="status" title={texts.declinedTitle}>
        {texts.declinedText}
      </Notice>
    )
  if (card.status === 'expired')
    return (
      <Notice tone="pending" icon={Hourglass} role="status" title={texts.expiredTitle}>
        {texts.expiredText}
      </Notice>
    )
  return (
    <Notice tone="info" icon={Clock} role="status" title={texts.reviewTitle}>
      {texts.reviewText}{' '}
      {card.reviewDueAt ? (
        <>
          {texts.until} <Time at={card.reviewDueAt} />.
        </>
      ) : null}
    </Notice>
  )
}

/** Why a card that was credited is deducted again, and how to object. */
function Claim({ card, claim }: { card: GiftCardDetail; claim: GiftCardClaim }) {
  if (claim.reversedAt)
    return (
      <Notice tone="success" icon={CircleCheck} role="status" title={texts.claimReversedTitle}>
        {texts.claimReversedText(usd(claim.amount))}{' '}
        <span className="wrap-anywhere">{claim.reversalReason}</span>
      </Notice>
    )
  return (
    <Notice tone="danger" icon={CircleX} role="status" title={texts.claimedTitle}>
      <p className="wrap-anywhere">{claim.reason}</p>
      <p className="mt-1">{texts.claimedText(usd(claim.amount))}</p>
      {isPositive(claim.owed) ? <p className="mt-1">{texts.claimedOwed(usd(claim.owed))}</p> : null}
      <p className="mt-1">{texts.claimedObject}</p>
      <HelpLink card={card.id} reference={card.reference} button className="mt-3" />
    </Notice>
  )
}

function Facts({ card }: { card: GiftCardDetail }) {
  return (
    <Card>
      <CardTitle className="mb-4">{texts.facts}</CardTitle>
      <Pairs>
        <Pair name={texts.reference}>
          <Copyable text={card.reference} what={texts.reference} />
        </Pair>
        <Pair name={texts.type}>{texts.types[card.cardType]}</Pair>
        <Pair name={texts.value}>
          <Usd amount={card.value} />
        </Pair>
        <Pair name={texts.offered}>
          <Usd amount={card.payout} />
        </Pair>
        {card.confirmedValue ? (
          <Pair name={texts.confirmed}>
            <Usd amount={card.confirmedValue} />
          </Pair>
        ) : null}
        <Pair name={texts.sent}>
          <Time at={card.createdAt} />
        </Pair>
        {card.decidedAt ? (
          <Pair name={texts.decided}>
            <Time at={card.decidedAt} />
          </Pair>
        ) : null}
        {card.paid ? (
          <Pair name={texts.credited} strong>
            <Usd amount={card.paid} />
          </Pair>
        ) : null}
      </Pairs>
      <PictureLinks images={card.images} />
      <div className="mt-4 border-t pt-4">
        <HelpLink card={card.id} reference={card.reference} />
      </div>
    </Card>
  )
}

function PictureLinks({ images }: { images: readonly string[] }) {
  if (images.length === 0) return null
  return (
    <div className="mt-4 border-t pt-4">
      <h3 className="text-sm font-medium">{texts.pictures}</h3>
      <ul className="mt-2 flex flex-wrap gap-3 text-sm">
        {images.map((url, index) => (
          <li key={url}>
            <a href={url} target="_blank" rel="noreferrer" className="block rounded-md hover:opacity-80">
              <img
                src={url}
                alt={texts.picture(index + 1)}
                loading="lazy"
                className="h-16 w-24 rounded-md border bg-muted object-cover text-xs text-muted-foreground"
              />
              <span className="sr-only"> ({common.openInNewTab})</span>
            </a>
          </li>
        ))}
      </ul>
    </div>
  )
}
