import { Link } from '@tanstack/react-router'
import { TriangleAlert } from 'lucide-react'
import { Notice } from '@/components/states/states'
import { useNow } from '@/lib/clock'
import { count, crypto } from '@/lib/format'
import { actionTexts as texts } from '@/messages/actions'
import { actionSentence } from './action-needed'
import { useActions } from './use-actions'

const SHOWN = 3

/** What waits for the customer, with its deadline, above everything else. */
export function AttentionBanner() {
  const orders = useActions()
  const now = useNow(30_000)
  if (orders.length === 0) return null
  return (
    <Notice
      tone="pending"
      icon={TriangleAlert}
      title={orders.length === 1 ? texts.one : texts.many(count(orders.length))}
    >
      <ul className="mt-1 space-y-1">
        {orders.slice(0, SHOWN).map((order) => (
          <li key={order.id}>
            <Link
              to="/orders/$id"
              params={{ id: order.id }}
              className="font-semibold underline underline-offset-4"
            >
              {crypto(order.amountAsset)} {order.asset} · {order.reference}
            </Link>
            {order.action ? (
              <span className="tabular-nums">: {actionSentence(order.action, now)}</span>
            ) : null}
          </li>
        ))}
      </ul>
      {orders.length > SHOWN ? (
        <Link to="/orders" className="mt-2 inline-block font-semibold underline underline-offset-4">
          {texts.all}
        </Link>
      ) : null}
    </Notice>
  )
}
