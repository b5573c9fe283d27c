import type { OrderDetail } from '@/api/types.gen'
import { Stat, Usd } from '@/components/money/money'
import { compare, remainder } from '@/lib/money'
import { moneyTexts as texts } from '@/messages/situations'
import type { Situation } from './situation'

const kinds = new Set(['money_short', 'money_over', 'money_late'])

/** Money that does not fit: what was expected, what came, and the difference. */
export function MoneyFit({ order, situation }: { order: OrderDetail; situation: Situation }) {
  if (!kinds.has(situation.key)) return null
  const over = compare(order.received, order.total) > 0
  const difference = over ? remainder(order.received, order.total) : remainder(order.total, order.received)
  return (
    <dl className="mt-5 grid grid-cols-2 gap-3 *:last:odd:col-span-2 sm:grid-cols-3 sm:*:last:odd:col-span-1">
      <Stat name={texts.expected}>
        <Usd amount={order.total} />
      </Stat>
      <Stat name={texts.arrived}>
        <Usd amount={order.received} />
      </Stat>
      {compare(difference, '0') > 0 ? (
        <Stat name={over ? texts.surplus : texts.missing}>
          <Usd amount={difference} />
        </Stat>
      ) : null}
    </dl>
  )
}
