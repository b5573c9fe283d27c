import { ArrowDownLeft, ArrowUpRight } from 'lucide-react'
import type { OrderDetail, OrderRefund } from '@/api/types.gen'
import { Usd } from '@/components/money/money'
import { Time } from '@/components/status/time'
import { Card, CardTitle } from '@/components/ui/card'
import { cardName, day } from '@/lib/format'
import { situations, moneyTexts as texts } from '@/messages/situations'

/** Money that came and money that went back, each with its day; nothing when there was neither. */
export function MoneyCard({ order }: { order: OrderDetail }) {
  if (order.receipts.length === 0 && order.refunds.length === 0) return null
  return (
    <Card>
      <CardTitle className="mb-4">{texts.title}</CardTitle>
      <ul className="divide-y text-sm">
        {order.receipts.map((receipt) => (
          <li
            key={`${receipt.at}-${receipt.amount}`}
            className="flex items-start gap-3 py-3 first:pt-0 last:pb-0"
          >
            <ArrowDownLeft aria-hidden className="mt-0.5 size-4 text-success-text" />
            <div className="min-w-0 flex-1">
              <p className="font-medium">{texts.receipt}</p>
              <p className="text-muted-foreground">{texts.onDay(day(`${receipt.receivedOn}T12:00:00`))}</p>
            </div>
            <Usd amount={receipt.amount} className="font-medium" />
          </li>
        ))}
        {order.refunds.map((refund) => (
          <li
            key={`${refund.at}-${refund.amount}`}
            className="flex items-start gap-3 py-3 first:pt-0 last:pb-0"
          >
            <ArrowUpRight aria-hidden className="mt-0.5 size-4 text-muted-foreground" />
            <div className="min-w-0 flex-1">
              <p className="font-medium">{texts.refund[refund.status] ?? texts.refund.requested}</p>
              <p className="text-muted-foreground">
                {destination(order, refund)} · <Time at={refund.at} />
              </p>
            </div>
            <Usd amount={refund.amount} className="font-medium" />
          </li>
        ))}
      </ul>
    </Card>
  )
}

function destination(order: OrderDetail, refund: OrderRefund): string {
  if (refund.destination === 'balance') return texts.toBalance
  const { cardBrand, cardLast4 } = order.payment
  return texts.toCard(cardName(cardBrand, cardLast4) ?? situations.place.yourCard)
}
