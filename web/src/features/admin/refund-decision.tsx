import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import type { AdminOrder } from '@/api/types.gen'
import { Field } from '@/components/form/field'
import { Input } from '@/components/ui/input'
import { usd } from '@/lib/format'
import { fieldMessage, messageOf } from '@/lib/http'
import { compare, decimalsOf, isPositive, remainder } from '@/lib/money'
import { adminOrders as texts } from '@/messages/admin'
import { DecisionDialog } from './decision-dialog'
import { adminOrderQuery, decisions } from './queries'
import { useDecision } from './use-decision'

/** Money back, whole or in part: the confirmation repeats the amount that was chosen, and the customer. */
export function RefundDecision({ order, onClose }: { order: AdminOrder; onClose: () => void }) {
  const [part, setPart] = useState(false)
  const [amount, setAmount] = useState('')
  const detail = useQuery(adminOrderQuery(order.id)).data
  const most = detail ? remainder(detail.received, detail.refunded) : order.quoteFiat
  const typed = amount.trim()
  const fits = isPositive(typed) && decimalsOf(typed) <= 2 && compare(typed, most) <= 0
  const refund = useDecision(
    (why: string) => decisions.refund(order.id, why, part ? typed : undefined),
    { done: texts.refundStarted, failed: texts.refundFailed, failedText: texts.refundFailedText },
    onClose,
  )
  const customer = order.customerEmail
  const sum = part ? (fits ? typed : '') : most
  return (
    <DecisionDialog
      title={texts.refundTitle}
      text={
        part && fits
          ? texts.refundPartText(usd(typed), customer)
          : order.status === 'sent'
            ? texts.refundSentText(usd(most), customer)
            : texts.refundText(usd(most), customer)
      }
      confirm={sum ? texts.refundGo(usd(sum)) : texts.refund}
      destructive
      reason={{ label: texts.reason, placeholder: texts.reasonPlaceholder }}
      incomplete={part && !fits}
      pending={refund.isPending}
      error={
        refund.error
          ? { title: texts.refundFailed, text: messageOf(refund.error, texts.refundFailedText) }
          : undefined
      }
      onConfirm={(why) => refund.mutate(why)}
      onClose={onClose}
    >
      <HowMuch part={part} most={most} onChange={setPart} />
      {part ? (
        <div className="mb-4">
          <Field
            id="refund-amount"
            label={texts.refundAmount}
            error={
              (typed && !fits ? texts.refundAmountWrong(usd(most)) : undefined) ??
              fieldMessage(refund.error, 'amount')
            }
          >
            {(field) => (
              <Input
                {...field}
                inputMode="decimal"
                value={amount}
                maxLength={30}
                autoComplete="off"
                onChange={(event) => setAmount(event.target.value)}
              />
            )}
          </Field>
        </div>
      ) : null}
    </DecisionDialog>
  )
}

interface HowMuchProps {
  part: boolean
  most: string
  onChange: (part: boolean) => void
}

function HowMuch({ part, most, onChange }: HowMuchProps) {
  const name = useId()
  return (
    <fieldset className="mb-4 space-y-2">
      <legend className="mb-1.5 text-sm font-medium">{texts.refundHow}</legend>
      {[
        { value: false, label: texts.refundAll(usd(most)) },
        { value: true, label: texts.refundPart },
      ].map(({ value, label }) => (
        <label key={label} className="flex min-h-8 items-center gap-2.5 text-sm">
          <input
            type="radio"
            name={name}
            checked={part === value}
            onChange={() => onChange(value)}
            className="size-4 accent-primary"
          />
          {label}
        </label>
      ))}
    </fieldset>
  )
}
