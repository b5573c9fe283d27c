import type { PendingPayment } from '@/api/types.gen'
import { usd } from '@/lib/format'
import { adminPayments as texts } from '@/messages/admin-payments'
import { reasonPresets } from '@/messages/admin-queue'
import { DecisionDialog } from '../shared/decision-dialog'
import { decisions, orderKeys } from '../shared/order-decisions'
import { useDecision } from '../shared/use-decision'
import { ConfirmReceiptDialog } from './confirm-receipt-dialog'

export type PaymentAction = 'process' | 'decline' | 'confirm' | 'reject' | 'confirm_more'

interface PaymentDecisionProps {
  payment: PendingPayment
  action: PaymentAction
  onClose: () => void
}

/** The dialog of one decision about one payment. */
export function PaymentDecision({ payment, action, onClose }: PaymentDecisionProps) {
  if (action === 'process') return <Process payment={payment} onClose={onClose} />
  if (action === 'confirm' || action === 'confirm_more')
    return <ConfirmReceiptDialog payment={payment} more={action === 'confirm_more'} onClose={onClose} />
  return <Refuse payment={payment} rail={action} onClose={onClose} />
}

interface OneProps {
  payment: PendingPayment
  onClose: () => void
}

/** What is said of a processed payment: the specification's sentence, and which one it was. */
export function processedText({ tradeHash, amount }: Pick<PendingPayment, 'tradeHash' | 'amount'>): string {
  return `${texts.processedText} ${texts.processedWhich(tradeHash, usd(amount))}`
}

function Process({ payment, onClose }: OneProps) {
  const process = useDecision(
    () => decisions.process(payment.id),
    {
      done: texts.processed,
      doneText: processedText(payment),
      failed: texts.processFailed,
      failedText: texts.processFailedText,
    },
    orderKeys,
    onClose,
  )
  return (
    <DecisionDialog
      title={texts.processTitle}
      text={texts.processText(usd(payment.amount), payment.customerUsername)}
      confirm={texts.process}
      decision={process}
      onClose={onClose}
    />
  )
}

const refusals = {
  decline: {
    title: texts.declineTitle,
    text: texts.declineText,
    confirm: texts.confirmDecline,
    done: texts.declined,
    doneText: texts.declinedText,
  },
  reject: {
    title: texts.rejectTitle,
    text: texts.rejectText,
    confirm: texts.confirmReject,
    done: texts.rejected,
    doneText: texts.rejectedText,
  },
} as const

function Refuse({ payment, rail, onClose }: OneProps & { rail: 'decline' | 'reject' }) {
  const words = refusals[rail]
  const refuse = useDecision(
    (why: string) => decisions.reject(payment.id, why),
    {
      done: words.done,
      doneText: words.doneText,
      failed: texts.declineFailed,
      failedText: texts.declineFailedText,
    },
    orderKeys,
    onClose,
  )
  return (
    <DecisionDialog
      title={words.title}
      text={words.text(usd(payment.amount), payment.customerUsername)}
      confirm={words.confirm}
      destructive
      reason={{ label: texts.reason, placeholder: texts.reasonPlaceholder, presets: reasonPresets[rail] }}
      decision={refuse}
      onClose={onClose}
    />
  )
}
