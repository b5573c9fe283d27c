import { useQuery } from '@tanstack/react-query'
import { CircleAlert, CircleCheck } from 'lucide-react'
import { useState } from 'react'
import type { PendingPayment } from '@/api/types.gen'
import { AmountField } from '@/components/form/amount-field'
import { Field } from '@/components/form/field'
import { Notice } from '@/components/states/states'
import { Input } from '@/components/ui/input'
import { usd } from '@/lib/format'
import { fieldMessage } from '@/lib/http'
import { add, compare, decimalsOf, isPositive, remainder } from '@/lib/money'
import { serverNow } from '@/lib/server-clock'
import { adminPayments as texts } from '@/messages/admin-payments'
import { proposals } from '@/messages/admin-proposals'
import { DecisionDialog } from '../shared/decision-dialog'
import { adminOrderQuery, decisions, orderKeys } from '../shared/order-decisions'
import { ReferenceField } from '../shared/reference-field'
import { TakesTwo } from '../shared/takes-two'
import { useDecision } from '../shared/use-decision'

interface ConfirmReceiptProps {
  payment: PendingPayment
  /** The order expects no payment: all of it is credited to the customer's balance. */
  more: boolean
  onClose: () => void
}

/** Money seen on the bank statement: how much, when, and the line's own reference. */
export function ConfirmReceiptDialog({ payment, more, onClose }: ConfirmReceiptProps) {
  const [entry, setEntry] = useState({
    amount: '',
    receivedOn: new Date(serverNow()).toISOString().slice(0, 10),
    bankReference: '',
  })
  const [checked, setChecked] = useState(false)
  const confirm = useDecision(
    () =>
      decisions.confirm(payment.id, {
        ...entry,
        bankReference: entry.bankReference.trim(),
      }),
    {
      done: more ? texts.bookMoreDone : texts.receiptConfirmed,
      doneText: more ? texts.bookMoreDoneText : texts.receiptConfirmedText,
      failed: texts.receiptFailed,
      failedText: texts.receiptFailedText,
    },
    orderKeys,
    onClose,
  )
  const detail = useQuery(adminOrderQuery(payment.orderId)).data
  const came = detail?.received ?? '0.00'
  const missing =
    compare(came, '0') > 0 && compare(came, payment.amount) < 0 ? remainder(payment.amount, came) : undefined
  const amountOk = isPositive(entry.amount) && decimalsOf(entry.amount) <= 2
  const takesTwo = detail && amountOk && compare(entry.amount, detail.creditAlone) > 0
  const referenceOk = entry.bankReference.trim() !== ''
  const change = (part: Partial<typeof entry>) => setEntry((before) => ({ ...before, ...part }))
  return (
    <DecisionDialog
      title={more ? texts.bookMoreTitle : texts.receiptTitle}
      text={
        more
          ? texts.bookMoreText(payment.customerUsername)
          : missing
            ? texts.receiptShortText(usd(missing), usd(payment.amount), payment.customerUsername)
            : texts.receiptText(usd(payment.amount), payment.customerUsername)
      }
      confirm={takesTwo ? proposals.proposeSent : more ? texts.bookMore : texts.confirmReceipt}
      decision={confirm}
      onConfirm={(reason) => {
        setChecked(true)
        if (amountOk && referenceOk && entry.receivedOn) confirm.mutate(reason)
      }}
      onClose={onClose}
    >
      <div className="space-y-4">
        <AmountField
          id="received-amount"
          label={texts.receivedAmount}
          error={
            (checked && !amountOk ? texts.amountInvalid : undefined) ?? fieldMessage(confirm.error, 'amount')
          }
          unit="USD"
          decimals={2}
          positive
          value={entry.amount}
          onChange={(amount) => change({ amount })}
        />
        <Field
          id="received-on"
          label={texts.receivedOn}
          error={
            (checked && !entry.receivedOn ? texts.required : undefined) ??
            fieldMessage(confirm.error, 'receivedOn')
          }
        >
          {(field) => (
            <Input
              {...field}
              type="date"
              value={entry.receivedOn}
              onChange={(event) => change({ receivedOn: event.target.value })}
            />
          )}
        </Field>
        <ReferenceField
          id="bank-reference"
          label={texts.bankReference}
          hint={texts.bankReferenceHint}
          error={
            (checked && !referenceOk ? texts.required : undefined) ??
            fieldMessage(confirm.error, 'bankReference')
          }
          value={entry.bankReference}
          onChange={(bankReference) => change({ bankReference })}
        />
        {amountOk && referenceOk ? (
          <Preview
            payment={payment}
            came={detail?.received ?? '0.00'}
            amount={entry.amount}
            takesTwo={Boolean(takesTwo)}
          />
        ) : null}
        {takesTwo ? (
          <TakesTwo>{proposals.limitReceipt(usd(detail.creditAlone))}</TakesTwo>
        ) : (
          <p className="text-sm text-muted-foreground">
            {detail ? `${proposals.aloneReceipt(usd(detail.creditAlone))} ` : ''}
            {proposals.ownCoin}
          </p>
        )}
      </div>
    </DecisionDialog>
  )
}

interface PreviewProps {
  payment: PendingPayment
  came: string
  amount: string
  /** The receipt becomes a proposal. */
  takesTwo: boolean
}

/** What follows from this receipt: the order resumes, or its customer is asked; with the sums. */
function Preview({ payment, came, amount, takesTwo }: PreviewProps) {
  const open = payment.orderStatus === 'pending'
  const before = open ? came : '0.00'
  const sum = add(before, amount)
  const sums = texts.previewSums(usd(before), usd(amount), usd(sum), usd(payment.amount))
  const off = compare(sum, payment.amount)
  const words = !open
    ? { tone: 'pending' as const, title: texts.previewLate, text: texts.previewLateText }
    : off < 0
      ? {
          tone: 'pending' as const,
          title: texts.previewShort(usd(remainder(payment.amount, sum))),
          text: texts.previewShortText,
        }
      : off > 0
        ? {
            tone: 'pending' as const,
            title: texts.previewOver(usd(remainder(sum, payment.amount))),
            text: texts.previewOverText,
          }
        : {
            tone: 'success' as const,
            title: texts.previewFits,
            text: takesTwo ? texts.previewTakesTwoText : texts.previewFitsText,
          }
  return (
    <Notice
      tone={words.tone}
      icon={off === 0 && open ? CircleCheck : CircleAlert}
      role="status"
      title={words.title}
    >
      <p>{words.text}</p>
      {compare(before, '0') > 0 ? <p className="mt-1 tabular-nums">{sums}</p> : null}
    </Notice>
  )
}
