import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { AdminGiftCard } from '@/api/types.gen'
import { AmountField } from '@/components/form/amount-field'
import { payout } from '@/features/gift-cards/form'
import { catalogueQuery } from '@/features/gift-cards/queries'
import { usd } from '@/lib/format'
import { compare, isPositive, parseAmount } from '@/lib/money'
import { adminGiftCards as texts } from '@/messages/admin-gift-cards'
import { proposals } from '@/messages/admin-proposals'
import { reasonPresets } from '@/messages/admin-queue'
import { approvalsKey } from '../approvals/approval-query'
import { useSeen, WhatChanged } from '../approvals/seen'
import { DecisionDialog } from '../shared/decision-dialog'
import { ReferenceField } from '../shared/reference-field'
import { TakesTwo } from '../shared/takes-two'
import { useDecision } from '../shared/use-decision'
import { cardDecisions } from './queries'

export type CardAction = 'approve' | 'reject' | 'realise'

interface GiftCardDecisionProps {
  card: AdminGiftCard
  action: CardAction
  onClose: () => void
  /** Called after a decision was made. */
  onDone?: (() => void) | undefined
}

/** The dialog of one decision about one gift card. */
export function GiftCardDecision({ action, ...props }: GiftCardDecisionProps) {
  if (action === 'approve') return <Approve {...props} />
  if (action === 'reject') return <Reject {...props} />
  return <Realise {...props} />
}

type OneProps = Omit<GiftCardDecisionProps, 'action'>

const failed = { failed: texts.failed, failedText: texts.failedText }

const changes = [['admin-gift-cards'], approvalsKey]

function ended({ onClose, onDone }: OneProps): () => void {
  return () => {
    onClose()
    onDone?.()
  }
}

function Approve(props: OneProps) {
  const { card, onClose } = props
  const catalogue = useQuery(catalogueQuery)
  const [value, setValue] = useState('')
  const seen = useSeen('gift_card', card.id, Boolean(card.firstApprovedBy))
  const less = parseAmount(value)?.lt(card.value) ?? false
  const decide = useDecision(
    () => cardDecisions.approve(card.id, value, seen.version),
    { done: less ? texts.offerMade : texts.approved, ...failed },
    changes,
    ended(props),
  )
  const pays = catalogue.data ? payout(value, catalogue.data.exchangeRate, catalogue.data.flatFee) : undefined
  return (
    <DecisionDialog
      title={texts.approveTitle}
      text={texts.approveText(card.reference, card.customerName || card.customerEmail)}
      confirm={texts.approve}
      incomplete={seen.incomplete || !pays}
      decision={decide}
      onClose={onClose}
    >
      {seen.facts}
      <WhatChanged error={decide.error} />
      <AmountField
        id="card-value"
        label={texts.found}
        hint={pays ? (less ? texts.offers : texts.pays)(usd(pays)) : texts.foundHint(usd(card.value))}
        unit="USD"
        decimals={2}
        value={value}
        onChange={setValue}
      />
      <WhoDecides card={card} pays={pays ?? '0'} />
    </DecisionDialog>
  )
}

/** Whether another person decides too: surely above the day's limit, perhaps below it. */
function WhoDecides({ card, pays }: { card: AdminGiftCard; pays: string }) {
  if (card.firstApprovedBy)
    return <TakesTwo>{proposals.first(card.firstApprovedBy, usd(card.firstValue))}</TakesTwo>
  const limit = proposals.limitCredit(usd(card.twoAbove))
  if (compare(pays, card.twoAbove) > 0) return <TakesTwo>{limit}</TakesTwo>
  return <p className="text-sm text-muted-foreground">{limit}</p>
}

function Reject(props: OneProps) {
  const { card, onClose } = props
  const text = card.status === 'offered' ? texts.rejectOfferText : texts.rejectText
  const decide = useDecision(
    (reason) => cardDecisions.reject(card.id, reason),
    { done: texts.rejected, ...failed },
    changes,
    ended(props),
  )
  return (
    <DecisionDialog
      title={texts.rejectTitle}
      text={text(card.reference, card.customerName || card.customerEmail)}
      confirm={texts.reject}
      destructive
      reason={{
        label: texts.rejectReason,
        placeholder: texts.rejectPlaceholder,
        presets: reasonPresets.giftCard,
      }}
      decision={decide}
      onClose={onClose}
    />
  )
}

function Realise(props: OneProps) {
  const { card, onClose } = props
  const [amount, setAmount] = useState('')
  const [reference, setReference] = useState('')
  const decide = useDecision(
    () => cardDecisions.realise(card.id, amount, reference.trim()),
    { done: texts.realisedDone, ...failed },
    changes,
    ended(props),
  )
  return (
    <DecisionDialog
      title={texts.realiseTitle}
      text={texts.realiseText(card.reference, usd(card.paid))}
      confirm={texts.realise}
      incomplete={!parseAmount(amount) || (isPositive(amount) && reference.trim() === '')}
      decision={decide}
      onClose={onClose}
    >
      <div className="space-y-4">
        <AmountField
          id="realised-amount"
          label={texts.amount}
          hint={card.confirmedValue ? texts.amountHint(usd(card.confirmedValue)) : undefined}
          unit="USD"
          decimals={2}
          value={amount}
          onChange={setAmount}
        />
        <ReferenceField
          id="realised-reference"
          label={texts.saleReference}
          hint={texts.saleReferenceHint}
          value={reference}
          onChange={setReference}
        />
      </div>
    </DecisionDialog>
  )
}
