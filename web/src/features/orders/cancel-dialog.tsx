import { CircleAlert } from 'lucide-react'
import type { OrderDetail } from '@/api/types.gen'
import { Notice } from '@/components/states/states'
import { Button } from '@/components/ui/button'
import { Dialog, DialogActions, DialogContent } from '@/components/ui/dialog'
import { crypto, usd } from '@/lib/format'
import { orders } from '@/messages/orders'

interface CancelDialogProps {
  order: OrderDetail
  pending: boolean
  error: string | undefined
  onConfirm: () => void
  onClose: () => void
}

export function CancelDialog({ order, pending, error, onConfirm, onClose }: CancelDialogProps) {
  return (
    <Dialog open onOpenChange={(open) => (open || pending ? undefined : onClose())}>
      <DialogContent
        title={orders.cancel.title}
        description={orders.cancel.text(`${crypto(order.amountAsset)} ${order.asset}`, usd(order.total))}
      >
        {error ? (
          <Notice tone="danger" icon={CircleAlert} role="alert" title={orders.cancel.failed}>
            {error}
          </Notice>
        ) : null}
        <DialogActions>
          <Button variant="outline" onClick={onClose} disabled={pending}>
            {orders.cancel.keep}
          </Button>
          <Button variant="destructive" onClick={onConfirm} disabled={pending}>
            {pending ? orders.cancel.pending : orders.cancel.confirm}
          </Button>
        </DialogActions>
      </DialogContent>
    </Dialog>
  )
}
