import { lazy, Suspense, useRef, useState } from 'react'
import type { AdminOrderDetail } from '@/api/types.gen'
import { Button } from '@/components/ui/button'
import { admin } from '@/messages/admin'
import { adminOrders as texts } from '@/messages/admin-order'
import { paymentBusy, paymentButtons, paymentMay } from '../payments/payment-actions'
import type { PaymentAction } from '../payments/payment-decision'
import { allowed, type DecisionButton, inOrder, lookOf } from '../shared/decision-buttons'
import { Key, useKeys, useShortcutsOn } from '../shared/keys'
import { RowMenu } from '../shared/row-menu'
import { orderButtonsOf, orderMay } from './order-actions'
import type { OrderAction } from './order-decision'

const OrderDecision = lazy(async () => ({ default: (await import('./order-decision')).OrderDecision }))
const PaymentDecision = lazy(async () => ({
  default: (await import('../payments/payment-decision')).PaymentDecision,
}))

const isPayment = (action: OrderAction | PaymentAction): action is PaymentAction =>
  paymentButtons.some((button) => button.action === action)

const ofPayment = (order: AdminOrderDetail) => allowed(paymentButtons, paymentMay(order.payment))
const ofOrder = (order: AdminOrderDetail) => allowed(orderButtonsOf(order), orderMay(order))

/** The one act that an order waits for, and a menu with the rest. Their keys act here and in the drawer. */
export function OrderActs({ order }: { order: AdminOrderDetail }) {
  const [open, setOpen] = useState<OrderAction | PaymentAction>()
  const close = () => setOpen(undefined)
  const own = useRef<HTMLDivElement>(null)
  const busy = paymentBusy(order.payment) ? admin.processing : order.decision ? texts.working : undefined
  const possible: readonly DecisionButton<OrderAction | PaymentAction>[] = busy
    ? []
    : [...ofPayment(order), ...ofOrder(order)]
  const { first, rest, keyOf } = inOrder(possible)
  useKeys(
    possible.flatMap((button) => {
      const key = keyOf(button)
      return key ? [{ key, label: button.label, run: () => setOpen(button.action) }] : []
    }),
    own,
  )
  // A menu with one act in it is no shorter than the act.
  const menu = rest.length > 1 ? rest : []
  const shown = [...(first ? [first] : []), ...(menu.length > 0 ? [] : rest)]
  return (
    <div ref={own} className="contents">
      {busy ? (
        <Button size="sm" disabled>
          {busy}
        </Button>
      ) : null}
      {shown.map((button) => (
        <Act
          key={button.action}
          button={button}
          shortcut={keyOf(button)}
          reference={order.reference}
          onPress={() => setOpen(button.action)}
        />
      ))}
      <RowMenu
        named
        row={order.reference}
        items={menu.map((button) => ({
          label: button.label,
          shortcut: keyOf(button),
          danger: button.weight === 'danger',
          run: () => setOpen(button.action),
        }))}
      />
      <Suspense>
        {!open ? null : isPayment(open) ? (
          <PaymentDecision payment={order.payment} action={open} onClose={close} />
        ) : (
          <OrderDecision order={order} action={open} onClose={close} />
        )}
      </Suspense>
    </div>
  )
}

interface ActProps {
  button: DecisionButton<string>
  shortcut: string | undefined
  reference: string
  onPress: () => void
}

function Act({ button: { label, weight }, shortcut, reference, onPress }: ActProps) {
  const keys = useShortcutsOn()
  return (
    <Button size="sm" {...lookOf(weight)} aria-keyshortcuts={shortcut} onClick={onPress}>
      {label}
      <span className="sr-only"> {reference}</span>
      {shortcut && keys ? (
        <span aria-hidden className="max-md:hidden">
          <Key>{shortcut}</Key>
        </span>
      ) : null}
    </Button>
  )
}
