import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleAlert } from 'lucide-react'
import type { AdminGiftCardDetail } from '@/api/types.gen'
import { Usd } from '@/components/money/money'
import { Notice } from '@/components/states/states'
import { Time } from '@/components/status/time'
import { Card, CardTitle } from '@/components/ui/card'
import { usd } from '@/lib/format'
import { adminGiftCards as texts } from '@/messages/admin-gift-cards'
import { records } from '@/messages/admin-records'
import { giftCards } from '@/messages/gift-cards'
import { GiftCardStory } from '../gift-cards/story'
import { DecisionButtons } from './decision-buttons'
import { Fact, Facts } from './facts'
import { type CardAction, GiftCardDecision } from './gift-card-decision'
import { adminGiftCardLooks } from './gift-card-looks'
import { adminGiftCardQuery } from './gift-card-queries'
import { RevealCard } from './gift-card-reveal'
import { Outside } from './outside'
import { RecordFrame, RecordHead, RecordLead } from './record-frame'
import { Records } from './records'

/** One gift card with everything staff may see of it, and every button they have. */
export function AdminGiftCardScreen({ id }: { id: string }) {
  return (
    <RecordFrame query={useQuery(adminGiftCardQuery(id))} title={giftCards.facts} failed={texts.fetchFailed}>
      {(card) => <Loaded card={card} />}
    </RecordFrame>
  )
}

function Loaded({ card }: { card: AdminGiftCardDetail }) {
  return (
    <>
      <RecordHead
        title={`${card.brand} · ${usd(card.value)}`}
        lead={<RecordLead record={card} />}
        look={adminGiftCardLooks[card.status]}
        list={{ to: '/admin/gift-cards', title: texts.title }}
      />
      <div className="space-y-6">
        <Alike card={card} />
        <DecisionButtons
          underWay={Boolean(card.decision)}
          buttons={buttons.filter(({ action }) => card.actions.includes(action))}
          dialog={(action, close) => <GiftCardDecision card={card} action={action} onClose={close} />}
        />
        <div className="grid items-start gap-6 xl:grid-cols-2">
          <Card>
            <CardTitle className="mb-4">{giftCards.facts}</CardTitle>
            <CardFacts card={card} />
          </Card>
          <RevealCard card={card} />
          <Card>
            <CardTitle className="mb-4">{records.story}</CardTitle>
            <GiftCardStory events={card.events} />
          </Card>
          <Records decisions={card.decisions} postings={card.postings} />
        </div>
      </div>
    </>
  )
}

function Alike({ card }: { card: AdminGiftCardDetail }) {
  if (card.alike.length === 0) return null
  return (
    <Notice tone="pending" icon={CircleAlert} role="status" title={texts.alike}>
      <ul>
        {card.alike.map((other) => (
          <li key={other.id}>
            <Link
              to="/admin/gift-cards/$id"
              params={{ id: other.id }}
              className="font-medium underline underline-offset-4"
            >
              {texts.alikeText(other.reference, other.status.replaceAll('_', ' '), other.sameCustomer)}
            </Link>
          </li>
        ))}
      </ul>
      {card.alike.some((other) => other.holds) ? <p className="mt-1">{texts.holds}</p> : null}
    </Notice>
  )
}

const buttons: readonly { action: CardAction; label: string; variant: 'default' | 'destructive' }[] = [
  { action: 'approve', label: texts.approve, variant: 'default' },
  { action: 'reject', label: texts.reject, variant: 'destructive' },
  { action: 'realise', label: texts.realise, variant: 'default' },
]

function CardFacts({ card }: { card: AdminGiftCardDetail }) {
  return (
    <>
      <Facts>
        <Fact name={texts.customer}>{card.customerEmail}</Fact>
        <Fact name={texts.type}>{giftCards.types[card.cardType]}</Fact>
        <Fact name={texts.value}>
          <Usd amount={card.value} />
        </Fact>
        <Fact name={texts.payout}>
          <Usd amount={card.payout} />
        </Fact>
        {card.confirmedValue ? (
          <Fact name={texts.confirmed}>
            <Usd amount={card.confirmedValue} />
          </Fact>
        ) : null}
        {card.paid ? (
          <Fact name={texts.paid}>
            <Usd amount={card.paid} />
          </Fact>
        ) : null}
        {card.realisedAmount ? (
          <Fact name={texts.realised}>
            <Usd amount={card.realisedAmount} /> · {card.realisedReference}
          </Fact>
        ) : null}
        <Fact name={texts.sent}>
          <Time at={card.createdAt} />
        </Fact>
        {card.status === 'in_review' && card.reviewDueAt ? (
          <Fact name={texts.due}>
            <Time at={card.reviewDueAt} />
          </Fact>
        ) : null}
        {card.rejectReason ? (
          <Fact name={texts.reason} wide>
            {card.rejectReason}
          </Fact>
        ) : null}
      </Facts>
      <Outside href={card.workflowUrl} text={records.workflow} />
    </>
  )
}
