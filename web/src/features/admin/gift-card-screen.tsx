import { useQuery } from '@tanstack/react-query'
import { Link, notFound } from '@tanstack/react-router'
import { ArrowLeft, CircleAlert, ExternalLink } from 'lucide-react'
import { useState } from 'react'
import type { AdminGiftCardDetail } from '@/api/types.gen'
import { PageHead } from '@/components/layout/page'
import { Usd } from '@/components/money/money'
import { Failed, LoadingRows, Notice } from '@/components/states/states'
import { StatusBadge } from '@/components/status/badge'
import { Time } from '@/components/status/time'
import { Button } from '@/components/ui/button'
import { buttonVariants } from '@/components/ui/button-variants'
import { Card, CardTitle } from '@/components/ui/card'
import { usd } from '@/lib/format'
import { HttpError } from '@/lib/http'
import { adminGiftCards as texts } from '@/messages/admin-gift-cards'
import { common } from '@/messages/common'
import { giftCards } from '@/messages/gift-cards'
import { GiftCardStory } from '../gift-cards/story'
import { Fact, Facts } from './facts'
import { type CardAction, GiftCardDecision } from './gift-card-decision'
import { adminGiftCardLooks } from './gift-card-looks'
import { adminGiftCardQuery } from './gift-card-queries'
import { RevealCard } from './gift-card-reveal'

/** One gift card with everything staff may see of it, and every button they have. */
export function AdminGiftCardScreen({ id }: { id: string }) {
  const query = useQuery(adminGiftCardQuery(id))
  if (query.error instanceof HttpError && query.error.status === 404) throw notFound()
  const card = query.data
  if (card) return <Loaded card={card} />
  return (
    <>
      <PageHead title={giftCards.facts} />
      {query.error ? (
        <Failed title={texts.fetchFailed} error={query.error} retry={() => void query.refetch()} />
      ) : (
        <LoadingRows rows={3} />
      )}
    </>
  )
}

function Loaded({ card }: { card: AdminGiftCardDetail }) {
  return (
    <>
      <PageHead
        title={`${card.brand} · ${usd(card.value)}`}
        lead={
          <>
            <span className="font-mono">{card.reference}</span> · {card.customerName || card.customerEmail}
          </>
        }
        actions={
          <>
            <StatusBadge look={adminGiftCardLooks[card.status]} />
            <Link to="/admin/gift-cards" className={buttonVariants({ variant: 'outline', size: 'sm' })}>
              <ArrowLeft aria-hidden />
              {texts.title}
            </Link>
          </>
        }
      />
      <div className="space-y-6">
        <Alike card={card} />
        <Actions card={card} />
        <div className="grid items-start gap-6 xl:grid-cols-2">
          <Card>
            <CardTitle className="mb-4">{giftCards.facts}</CardTitle>
            <CardFacts card={card} />
          </Card>
          <RevealCard card={card} />
          <Card>
            <CardTitle className="mb-4">{texts.story}</CardTitle>
            <GiftCardStory events={card.events} />
          </Card>
          <Records card={card} />
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

const buttons: readonly (readonly [CardAction, 'default' | 'destructive'])[] = [
  ['approve', 'default'],
  ['reject', 'destructive'],
  ['realise', 'default'],
]

function Actions({ card }: { card: AdminGiftCardDetail }) {
  const [open, setOpen] = useState<CardAction>()
  const shown = buttons.filter(([action]) => card.actions.includes(action))
  if (card.decision) return <p className="text-sm text-muted-foreground">{texts.underWay}</p>
  return (
    <>
      {shown.length > 0 ? (
        <div className="flex flex-wrap gap-2">
          {shown.map(([action, variant]) => (
            <Button key={action} variant={variant} onClick={() => setOpen(action)}>
              {texts[action]}
            </Button>
          ))}
        </div>
      ) : null}
      {open ? <GiftCardDecision card={card} action={open} onClose={() => setOpen(undefined)} /> : null}
    </>
  )
}

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
      {card.workflowUrl ? (
        <a
          href={card.workflowUrl}
          target="_blank"
          rel="noreferrer"
          className={buttonVariants({ variant: 'link', size: 'sm', className: 'mt-3 px-0' })}
        >
          <ExternalLink aria-hidden />
          {texts.workflow}
          <span className="sr-only"> ({common.openInNewTab})</span>
        </a>
      ) : null}
    </>
  )
}

function Records({ card }: { card: AdminGiftCardDetail }) {
  return (
    <Card>
      <CardTitle className="mb-3">{texts.decisions}</CardTitle>
      {card.decisions.length === 0 ? (
        <p className="text-sm text-muted-foreground">{texts.noDecisions}</p>
      ) : (
        <ul className="space-y-2 text-sm">
          {card.decisions.map((taken) => (
            <li key={taken.id} className="wrap-anywhere">
              <span className="font-medium">{taken.kind}</span> · {taken.actor} ·{' '}
              <Time at={taken.createdAt} />
              {taken.reason ? ` · ${taken.reason}` : ''}
              {taken.outcome ? ` · ${taken.outcome.replaceAll('_', ' ')}` : ''}
            </li>
          ))}
        </ul>
      )}
      <h3 className="mt-5 mb-2 text-sm font-semibold">{texts.ledger}</h3>
      {card.postings.length === 0 ? (
        <p className="text-sm text-muted-foreground">{texts.noPostings}</p>
      ) : (
        <ul className="space-y-2 text-sm">
          {card.postings.map((posting) => (
            <li key={posting.id} className="flex flex-wrap justify-between gap-x-4">
              <span className="min-w-0 font-mono text-xs wrap-anywhere">
                {posting.from} → {posting.to}
              </span>
              <Usd amount={posting.amount} className="font-medium" />
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}
