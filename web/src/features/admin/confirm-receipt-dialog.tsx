import { useState } from 'react'
import type { PendingPayment } from '@/api/types.gen'
import { Field } from '@/components/form/field'
import { Input } from '@/components/ui/input'
import { usd } from '@/lib/format'
import { fieldMessage, messageOf } from '@/lib/http'
import { decimalsOf, isPositive } from '@/lib/money'
import { adminPayments as texts } from '@/messages/admin'
import { DecisionDialog } from './decision-dialog'
import { decisions } from './queries'
import { useDecision } from './use-decision'

interface ConfirmReceiptProps {
  payment: PendingPayment
  /** The order waits for no money: all of it goes to the customer's balance. */
  more: boolean
  onClose: () => void
}

/** Money seen on the bank statement: how much, when, and the line's own reference. */
export function ConfirmReceiptDialog({ payment, more, onClose }: ConfirmReceiptProps) {
  const [entry, setEntry] = useState({
    amount: payment.amount,
    receivedOn: new Date().toISOString().slice(0, 10),
    bankReference: '',
  })
  const [checked, setChecked] = useState(false)
  const confirm = useDecision(
    () =>
      decisions.confirm(payment.id, {
        ...entry,
        amount: entry.amount.trim(),
        bankReference: entry.bankReference.trim(),
      }),
    {
      done: more ? texts.bookMoreDone : texts.receiptConfirmed,
      doneText: more ? texts.bookMoreDoneText : texts.receiptConfirmedText,
      failed: texts.receiptFailed,
      failedText: texts.receiptFailedText,
    },
    onClose,
  )
  const amountOk = isPositive(entry.amount) && decimalsOf(entry.amount.trim()) <= 2
  const referenceOk = entry.bankReference.trim() !== ''
  const change = (part: Partial<typeof entry>) => setEntry((before) => ({ ...before, ...part }))
  return (
    <DecisionDialog
      title={more ? texts.bookMoreTitle : texts.receiptTitle}
      text={
        more
          ? texts.bookMoreText(payment.customerUsername)
          : texts.receiptText(usd(payment.amount), payment.customerUsername)
      }
      confirm={more ? texts.bookMore : texts.confirmReceipt}
      pending={confirm.isPending}
      error={
        confirm.error
          ? { title: texts.receiptFailed, text: messageOf(confirm.error, texts.receiptFailedText) }
          : undefined
      }
      onConfirm={() => {
        setChecked(true)
        if (amountOk && referenceOk && entry.receivedOn) confirm.mutate(undefined)
      }}
      onClose={onClose}
    >
      <div className="space-y-4">
        <Field
          id="received-amount"
          label={texts.receivedAmount}
          error={
            (checked && !amountOk ? texts.amountInvalid : undefined) ?? fieldMessage(confirm.error, 'amount')
          }
        >
          {(field) => (
            <Input
              {...field}
              inputMode="decimal"
              value={entry.amount}
              maxLength={30}
              onChange={(event) => change({ amount: event.target.value })}
            />
          )}
        </Field>
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
        <Field
          id="bank-reference"
          label={texts.bankReference}
          hint={texts.bankReferenceHint}
          error={
            (checked && !referenceOk ? texts.required : undefined) ??
            fieldMessage(confirm.error, 'bankReference')
          }
        >
          {(field) => (
            <Input
              {...field}
              value={entry.bankReference}
              maxLength={100}
              autoComplete="off"
              onChange={(event) => change({ bankReference: event.target.value })}
            />
          )}
        </Field>
      </div>
    </DecisionDialog>
  )
}
