import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import type { AdminOrder } from '@/api/types.gen'
import { AmountField } from '@/components/form/amount-field'
import { crypto, usd } from '@/lib/format'
import { fieldMessage } from '@/lib/http'
import { compare, decimalsOf, isPositive, remainder } from '@/lib/money'
import { adminLessCoin } from '@/messages/admin-less-coin'
import { adminOrders as texts } from '@/messages/admin-order'
import { proposals } from '@/messages/admin-proposals'
import { reasonPresets } from '@/messages/admin-queue'
import { DecisionDialog } from '../shared/decision-dialog'
import { adminOrderQuery, decisions, lessCoinQuery, orderKeys } from '../shared/order-decisions'
import { TakesTwo } from '../shared/takes-two'
import { useDecision } from '../shared/use-decision'
import { partialRefundText, refundedTo } from './delivery'

/** Money back, whole or in part: the confirmation repeats the amount that was chosen, and the customer. */
export function RefundDecision({ order, onClose }: { order: AdminOrder; onClose: () => void }) {
  // A card's bank may have sent a refund back: only then may it go to the balance instead.
  const detail = useQuery(adminOrderQuery(order.id)).data
  const past = detail?.refunds ?? []
  const returned = past.some(
    (refund) => refund.destination === 'card' && refund.status === 'failed' && !refund.gone,
  )
  const whole = order.actions.includes('refund')
  const divisible = order.actions.includes('refund_part')
  const [part, setPart] = useState(!whole)
  const [less, setLess] = useState(false)
  const [toBalance, setToBalance] = useState(false)
  const [typed, setTyped] = useState('')
  const most = remainder(order.received, order.refunded)
  const fits = isPositive(typed) && decimalsOf(typed) <= 2 && compare(typed, most) <= 0
  const offers = part && less && order.lessCoin
  const would = useQuery({ ...lessCoinQuery(order.id, typed), enabled: offers && fits })
  const refund = useDecision(
    (reason: string) =>
      decisions.refund(order.id, {
        reason,
        ...(part ? { amount: typed } : {}),
        ...(offers ? { coin: 'less' as const } : {}),
        ...(toBalance ? { to: 'balance' as const } : {}),
      }),
    {
      done: offers ? adminLessCoin.offered : texts.refundStarted,
      failed: texts.refundFailed,
      failedText: texts.refundFailedText,
    },
    orderKeys,
    onClose,
  )
  const sum = part ? (fits ? typed : '') : most
  const limit = sum && detail && compare(sum, detail.refundAlone) > 0 ? detail.refundAlone : undefined
  return (
    <DecisionDialog
      title={texts.refundTitle}
      text={
        offers && fits
          ? adminLessCoin.lessText(usd(typed), order.customerEmail)
          : describe(order, part && fits ? typed : undefined, most, refundedTo(order, toBalance))
      }
      confirm={
        sum
          ? limit
            ? proposals.propose(usd(sum))
            : (offers ? adminLessCoin.go : texts.refundGo)(usd(sum))
          : texts.refund
      }
      destructive
      reason={{
        label: texts.reason,
        placeholder: texts.reasonPlaceholder,
        presets: reasonPresets.refund,
      }}
      incomplete={part && !fits}
      decision={refund}
      onClose={onClose}
    >
      {whole && divisible ? (
        <Choice
          legend={texts.refundHow}
          second={part}
          labels={[texts.refundAll(usd(most)), texts.refundPart]}
          onChange={setPart}
        />
      ) : null}
      {returned ? (
        <Choice
          legend={texts.refundWhere}
          second={toBalance}
          labels={[texts.refundToCard, texts.refundToBalance]}
          onChange={setToBalance}
        />
      ) : null}
      {part ? (
        <div className="mb-4">
          <AmountField
            id="refund-amount"
            label={texts.refundAmount}
            hint={texts.refundLeft(usd(most))}
            error={
              (typed && !fits ? texts.refundAmountWrong(usd(most)) : undefined) ??
              fieldMessage(refund.error, 'amount') ??
              (offers ? fieldMessage(would.error, 'amount') : undefined)
            }
            unit="USD"
            decimals={2}
            value={typed}
            onChange={setTyped}
          />
        </div>
      ) : null}
      {part && order.lessCoin ? (
        <Choice
          legend={adminLessCoin.legend}
          second={less}
          labels={[adminLessCoin.all, adminLessCoin.less]}
          onChange={setLess}
        />
      ) : null}
      {offers && would.data ? (
        <p className="mb-4 text-sm" role="status">
          {adminLessCoin.would(
            `${crypto(would.data.amountBefore)} ${order.asset}`,
            `${crypto(would.data.amountAsset)} ${order.asset}`,
          )}
        </p>
      ) : null}
      {limit ? <TakesTwo>{proposals.limit(usd(limit))}</TakesTwo> : null}
    </DecisionDialog>
  )
}

function describe(order: AdminOrder, part: string | undefined, most: string, to: string): string {
  if (part) return partialRefundText(order, part, to)
  return order.status === 'sent' ? texts.refundSentText(usd(most), to) : texts.refundText(usd(most), to)
}

interface ChoiceProps {
  legend: string
  labels: readonly [first: string, second: string]
  second: boolean
  onChange: (second: boolean) => void
}

/** One of two. */
function Choice({ legend, labels, second, onChange }: ChoiceProps) {
  const name = useId()
  return (
    <fieldset className="mb-4 space-y-1">
      <legend className="mb-1.5 text-sm font-medium">{legend}</legend>
      {labels.map((label, index) => (
        <label key={label} className="flex min-h-8 items-center gap-2.5 text-sm">
          <input
            type="radio"
            name={name}
            checked={second === (index === 1)}
            onChange={() => onChange(index === 1)}
            className="size-4 accent-primary"
          />
          {label}
        </label>
      ))}
    </fieldset>
  )
}
