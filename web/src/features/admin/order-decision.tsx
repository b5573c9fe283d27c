import type { AdminOrder } from '@/api/types.gen'
import { FullAddress } from '@/components/money/full-address'
import { crypto, usd } from '@/lib/format'
import { messageOf } from '@/lib/http'
import { adminOrders as texts } from '@/messages/admin'
import { DecisionDialog } from './decision-dialog'
import { decisions } from './queries'
import { useDecision } from './use-decision'

export type OrderAction = 'fulfill' | 'retry' | 'refund' | 'hold' | 'resume'

interface Words {
  title: string
  text: string
  confirm: string
  done: string
  doneText?: string
  failed: string
  failedText: string
}

function wordsOf(order: AdminOrder, action: OrderAction): Words {
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
    case 'refund':
      return {
        title: texts.refundTitle,
        text: texts.refundText(total, customer),
        confirm: texts.refund,
        done: texts.refundStarted,
        failed: texts.refundFailed,
        failedText: texts.refundFailedText,
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
  }
}

interface OrderDecisionProps {
  order: AdminOrder
  action: OrderAction
  onClose: () => void
}

/** Repeats the amount, the customer and, before coin leaves, the whole address. */
export function OrderDecision({ order, action, onClose }: OrderDecisionProps) {
  const words = wordsOf(order, action)
  const decision = useDecision(
    (why: string) => (action === 'fulfill' ? decisions.fulfill(order.id) : decisions[action](order.id, why)),
    words,
    onClose,
  )
  return (
    <DecisionDialog
      title={words.title}
      text={words.text}
      confirm={words.confirm}
      destructive={action === 'refund'}
      {...(action === 'fulfill'
        ? {}
        : { reason: { label: texts.reason, placeholder: texts.reasonPlaceholder } })}
      pending={decision.isPending}
      error={
        decision.error
          ? { title: words.failed, text: messageOf(decision.error, words.failedText) }
          : undefined
      }
      onConfirm={(why) => decision.mutate(why)}
      onClose={onClose}
    >
      {action === 'fulfill' || action === 'retry' ? <Destination order={order} /> : null}
    </DecisionDialog>
  )
}

function Destination({ order }: { order: AdminOrder }) {
  return (
    <div className="mb-4 text-sm">
      <p className="text-muted-foreground">{texts.fulfillAddress}</p>
      <FullAddress address={order.destAddress} network={order.network} />
    </div>
  )
}
