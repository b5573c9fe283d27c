import type { AdminOrder } from '@/api/types.gen'
import { crypto, usd } from '@/lib/format'
import { add } from '@/lib/money'
import { bulk as texts } from '@/messages/admin-proposals'
import { networkNames } from '@/messages/common'
import { BulkDialog } from '../shared/bulk-dialog'
import { decisions } from '../shared/order-decisions'
import { Person } from '../shared/person'
import { deliveryNote, refundedBefore } from './delivery'

interface BulkFulfilProps {
  orders: readonly AdminOrder[]
  onClose: () => void
}

/** Fulfills several orders. */
export function BulkFulfil({ orders, onClose }: BulkFulfilProps) {
  return (
    <BulkDialog
      rows={orders}
      title={texts.title}
      text={(rows) => texts.text(usd(rows.reduce((sum, order) => add(sum, order.quoteFiat), '0')))}
      confirm={texts.go}
      doneLabel={texts.started}
      act={({ id, refunded }) => decisions.fulfill(id, refunded)}
      changes={[['admin-orders'], ['admin-order'], ['admin-queues']]}
      onClose={onClose}
      line={(order) => (
        <>
          <p className="font-medium tabular-nums">
            {crypto(order.amountAsset)} {order.asset} · {usd(order.quoteFiat)}
          </p>
          <p className="text-muted-foreground">
            <span className="font-mono">{order.reference}</span> · <Person name={order.customerEmail} />
          </p>
          <p>
            <code className="font-mono text-dense">{order.destAddress}</code>{' '}
            {networkNames[order.network] ?? order.network}
          </p>
          {refundedBefore(order) ? <p className="font-medium">{deliveryNote(order)}</p> : null}
        </>
      )}
    />
  )
}
