import type { OrderDetail } from '@/api/types.gen'
import { ConfirmDialog } from '@/components/form/confirm-dialog'
import { crypto, usd } from '@/lib/format'
import { orderPage } from '@/messages/order-page'

interface CancelDialogProps {
  order: OrderDetail
  pending: boolean
  error: string | undefined
  onConfirm: () => void
  onClose: () => void
}

export function CancelDialog({ order, pending, error, onConfirm, onClose }: CancelDialogProps) {
  const { cancel } = orderPage
  const text = cancel.text(`${crypto(order.amountAsset)} ${order.asset}`, usd(order.total))
  return (
    <ConfirmDialog
      title={cancel.title}
      text={order.paymentMethod === 'card' ? text : `${text} ${cancel.onItsWay}`}
      confirm={cancel.confirm}
      working={cancel.pending}
      keep={cancel.keep}
      destructive
      pending={pending}
      error={error ? { title: cancel.failed, text: error } : undefined}
      onConfirm={onConfirm}
      onClose={onClose}
    />
  )
}
