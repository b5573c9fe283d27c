import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ArrowDownLeft, ArrowUpRight } from 'lucide-react'
import { chooseSurplus } from '@/api/sdk.gen'
import type { OrderDetail, OrderRefund, OrderSurplus } from '@/api/types.gen'
import { Usd } from '@/components/money/money'
import { Time } from '@/components/status/time'
import { Button } from '@/components/ui/button'
import { Card, CardTitle } from '@/components/ui/card'
import { cardName, day, shortTime } from '@/lib/format'
import { messageOf } from '@/lib/http'
import { toast } from '@/lib/toast'
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
        {(order.surpluses ?? []).map((surplus) => (
          <SurplusRow key={surplus.at} order={order} surplus={surplus} />
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

/** What arrived beyond the price: where it is, and what its customer can choose. */
function SurplusRow({ order, surplus }: { order: OrderDetail; surplus: OrderSurplus }) {
  const client = useQueryClient()
  const choice = useMutation({
    mutationFn: async (what: 'credit' | 'return') =>
      (await chooseSurplus({ path: { id: order.id }, body: { choice: what } })).data,
    onSuccess: () => toast({ title: texts.chosen }),
    onError: (error) =>
      toast({ title: texts.chosenNot, description: messageOf(error, ''), variant: 'destructive' }),
    onSettled: () => {
      for (const key of ['order', 'orders', 'user', 'balance'])
        void client.invalidateQueries({ queryKey: [key] })
    },
  })
  const press = (what: 'credit' | 'return', label: string) => (
    <Button variant="outline" size="sm" disabled={choice.isPending} onClick={() => choice.mutate(what)}>
      {label}
    </Button>
  )
  return (
    <li className="flex items-start gap-3 py-3 first:pt-0 last:pb-0">
      <ArrowUpRight aria-hidden className="mt-0.5 size-4 text-muted-foreground" />
      <div className="min-w-0 flex-1">
        <p className="font-medium">{texts.surplusIs[surplus.status]}</p>
        <p className="text-muted-foreground">
          {surplus.status === 'held' ? texts.heldUntil(shortTime(surplus.heldUntil)) : null}
          {surplus.settledAt ? <Time at={surplus.settledAt} /> : null}
        </p>
        {surplus.choices.length > 0 ? (
          <div className="mt-2 flex flex-wrap gap-2">
            {press('credit', texts.creditNow)}
            {press('return', texts.sendBack)}
          </div>
        ) : null}
      </div>
      <Usd amount={surplus.amount} className="font-medium" />
    </li>
  )
}

function destination(order: OrderDetail, refund: OrderRefund): string {
  if (refund.destination === 'balance') return texts.toBalance
  const { cardBrand, cardLast4 } = order.payment
  return texts.toCard(cardName(cardBrand, cardLast4) ?? situations.place.yourCard)
}
