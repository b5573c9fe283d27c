import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { AdminOrder } from '@/api/types.gen'
import { Field } from '@/components/form/field'
import { FullAddress } from '@/components/money/full-address'
import { Input } from '@/components/ui/input'
import { crypto, usd } from '@/lib/format'
import { fieldMessage } from '@/lib/http'
import { adminLessCoin } from '@/messages/admin-less-coin'
import { adminOrders as texts } from '@/messages/admin-order'
import { proposals } from '@/messages/admin-proposals'
import { reasonPresets } from '@/messages/admin-queue'
import { DecisionDialog } from '../shared/decision-dialog'
import { adminOrderQuery, decisions, orderKeys } from '../shared/order-decisions'
import { ReferenceField } from '../shared/reference-field'
import { limitPassed, TakesTwo } from '../shared/takes-two'
import { useDecision } from '../shared/use-decision'
import { RefundDecision } from './refund-decision'
import { RefundedBefore } from './refunded-before'

export type OrderAction =
  | 'fulfill'
  | 'retry'
  | 'refund'
  | 'hold'
  | 'resume'
  | 'amend_address'
  | 'mark_sent'
  | 'transfer_dead'
  | 'withdraw_coin_offer'
  | 'contest_dispute'
  | 'accept_dispute'

interface Words {
  title: string
  text: string
  confirm: string
  done: string
  doneText?: string
  failed: string
  failedText: string
  /** What must be entered beside the reason. */
  field?: string
}

function wordsOf(order: AdminOrder, action: OneAction): Words {
  const amount = `${crypto(order.amountAsset)} ${order.asset}`
  const total = usd(order.quoteFiat)
  const customer = order.customerEmail
  switch (action) {
    case 'fulfill':
      return {
        title: texts.fulfillTitle,
        text: texts.fulfillText(amount, total, customer),
        confirm: texts.fulfill,
        done: texts.fulfillStarted,
        doneText: texts.fulfillStartedText,
        failed: texts.fulfillFailed,
        failedText: texts.fulfillFailedText,
      }
    case 'retry':
      return {
        title: texts.retryTitle,
        text: texts.retryText(amount, customer),
        confirm: texts.retry,
        done: texts.retryStarted,
        failed: texts.retryFailed,
        failedText: texts.retryFailedText,
      }
    case 'contest_dispute':
      return {
        title: texts.contestTitle,
        text: texts.contestText(total, customer),
        confirm: texts.contest,
        done: texts.contestDone,
        failed: texts.holdFailed,
        failedText: texts.holdFailedText,
      }
    case 'accept_dispute':
      return {
        title: texts.acceptTitle,
        text: texts.acceptText(total, customer),
        confirm: texts.accept,
        done: texts.acceptDone,
        failed: texts.holdFailed,
        failedText: texts.holdFailedText,
      }
    case 'withdraw_coin_offer':
      return {
        title: adminLessCoin.withdrawTitle,
        text: adminLessCoin.withdrawText(amount, customer),
        confirm: texts.withdrawOffer,
        done: adminLessCoin.withdrawn,
        failed: adminLessCoin.failed,
        failedText: adminLessCoin.failedText,
      }
    case 'hold':
      return {
        title: texts.holdTitle,
        text: texts.holdText(amount, customer),
        confirm: texts.hold,
        done: texts.holdDone,
        failed: texts.holdFailed,
        failedText: texts.holdFailedText,
      }
    case 'resume':
      return {
        title: texts.resumeTitle,
        text: texts.holdText(amount, customer),
        confirm: texts.resume,
        done: texts.resumeDone,
        failed: texts.holdFailed,
        failedText: texts.holdFailedText,
      }
    case 'amend_address':
      return {
        title: texts.amendTitle,
        text: texts.amendText(amount, customer),
        confirm: texts.amend,
        done: texts.amendDone,
        failed: texts.holdFailed,
        failedText: texts.holdFailedText,
        field: texts.amendField,
      }
    case 'transfer_dead':
      return {
        title: texts.deadTitle,
        text: texts.deadText(amount, customer),
        confirm: texts.dead,
        done: texts.deadDone,
        failed: texts.holdFailed,
        failedText: texts.holdFailedText,
        field: texts.deadField,
      }
    case 'mark_sent':
      return {
        title: texts.markSentTitle,
        text: texts.markSentText(amount, customer),
        confirm: texts.markSent,
        done: texts.markSentDone,
        failed: texts.holdFailed,
        failedText: texts.holdFailedText,
        field: texts.markSentField,
      }
  }
}

function decide(
  order: AdminOrder,
  action: OneAction,
  why: string,
  entry: string,
  transfer: string,
  offerId: string,
) {
  if (action === 'fulfill') return decisions.fulfill(order.id, order.refunded)
  if (action === 'retry') return decisions.retry(order.id, why, order.refunded)
  if (action === 'mark_sent') return decisions.mark_sent(order.id, why, entry, transfer)
  if (action === 'transfer_dead') return decisions.transfer_dead(order.id, why, entry)
  if (action === 'withdraw_coin_offer') return decisions.withdraw_coin_offer(order.id, why, offerId)
  if (action === 'amend_address') return decisions.amend_address(order.id, why, entry)
  return decisions[action](order.id, why)
}

interface OrderDecisionProps {
  order: AdminOrder
  action: OrderAction
  onClose: () => void
}

/** Repeats the amount, the customer and, before coin leaves, the whole address. */
export function OrderDecision({ order, action, onClose }: OrderDecisionProps) {
  if (action === 'refund') return <RefundDecision order={order} onClose={onClose} />
  return <OneDecision order={order} action={action} onClose={onClose} />
}

type OneAction = Exclude<OrderAction, 'refund'>

/** What requires a second admin whatever the amount, and why. */
const alwaysTwo: Partial<Record<OneAction, string>> = {
  amend_address: proposals.limitAddress,
  transfer_dead: proposals.limitDead,
}

/** The actions that send the order's crypto, or count it as sent. */
const releases: ReadonlySet<OneAction> = new Set(['fulfill', 'retry', 'amend_address', 'mark_sent'])

function OneDecision({ order, action, onClose }: OrderDecisionProps & { action: OneAction }) {
  const words = wordsOf(order, action)
  const [entry, setEntry] = useState('')
  const [transfer, setTransfer] = useState('')
  const reads = action === 'mark_sent' || action === 'withdraw_coin_offer'
  const detail = useQuery({ ...adminOrderQuery(order.id), enabled: reads }).data
  const offerId = detail?.coinOffers.find((offer) => offer.status === 'open')?.id ?? ''
  const decision = useDecision(
    (why: string) => decide(order, action, why, entry.trim(), transfer.trim(), offerId),
    words,
    orderKeys,
    onClose,
  )
  const limit = action === 'mark_sent' && detail ? limitPassed(detail, detail.total) : undefined
  const entered = words.field === undefined || entry.trim() !== ''
  return (
    <DecisionDialog
      title={words.title}
      text={words.text}
      confirm={limit || alwaysTwo[action] ? proposals.proposeSent : words.confirm}
      destructive={action === 'accept_dispute'}
      {...(action === 'fulfill'
        ? {}
        : {
            reason: {
              label: reasonLabel(order, action),
              placeholder: texts.reasonPlaceholder,
              presets: action === 'hold' ? reasonPresets.hold : undefined,
            },
          })}
      decision={decision}
      incomplete={!entered}
      onClose={onClose}
    >
      {action === 'fulfill' || action === 'retry' || action === 'amend_address' ? (
        <Destination order={order} />
      ) : null}
      {releases.has(action) ? <RefundedBefore order={order} /> : null}
      {words.field ? (
        <div className="mb-4">
          <Field
            id="decision-entry"
            label={words.field}
            error={
              fieldMessage(decision.error, 'destAddress') ??
              fieldMessage(decision.error, 'txid') ??
              fieldMessage(decision.error, 'evidence')
            }
          >
            {(field) => (
              <Input
                {...field}
                value={entry}
                autoComplete="off"
                spellCheck={false}
                className={action === 'transfer_dead' ? undefined : 'font-mono'}
                onChange={(event) => setEntry(event.target.value)}
              />
            )}
          </Field>
        </div>
      ) : null}
      {action === 'mark_sent' ? (
        <div className="mb-4">
          <ReferenceField
            id="decision-transfer"
            label={texts.markSentTransfer}
            error={fieldMessage(decision.error, 'transferId')}
            value={transfer}
            onChange={setTransfer}
          />
        </div>
      ) : null}
      {limit ? <TakesTwo>{proposals.limitSent(usd(limit))}</TakesTwo> : null}
      {alwaysTwo[action] ? <TakesTwo>{alwaysTwo[action]}</TakesTwo> : null}
    </DecisionDialog>
  )
}

/** Before coin may be sent a second time, staff record their evidence that the first can never arrive. */
function reasonLabel(order: AdminOrder, action: OneAction): string {
  const died =
    order.metadata.fulfillmentCode === 'transfer_failed' || order.attention?.reason === 'transfer_failed'
  return died && action !== 'hold' ? texts.networkProof : texts.reason
}

function Destination({ order }: { order: AdminOrder }) {
  return (
    <div className="mb-4 text-sm">
      <p className="text-muted-foreground">{texts.fulfillAddress}</p>
      <FullAddress address={order.destAddress} network={order.network} />
    </div>
  )
}
