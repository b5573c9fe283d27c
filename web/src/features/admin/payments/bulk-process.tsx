import type { PendingPayment } from '@/api/types.gen'
import { cardName, usd } from '@/lib/format'
import { add } from '@/lib/money'
import { bulkRun as texts } from '@/messages/admin-queue'
import { BulkDialog } from '../shared/bulk-dialog'
import { decisions, orderKeys } from '../shared/order-decisions'
import { Person } from '../shared/person'

interface BulkProcessProps {
  payments: readonly PendingPayment[]
  onClose: () => void
}

/** Captures several card payments. */
export function BulkProcess({ payments, onClose }: BulkProcessProps) {
  return (
    <BulkDialog
      rows={payments}
      title={texts.processTitle}
      text={(rows) => texts.processText(usd(rows.reduce((sum, payment) => add(sum, payment.amount), '0')))}
      confirm={texts.process}
      act={({ id }) => decisions.process(id)}
      changes={orderKeys}
      onClose={onClose}
      line={(payment) => (
        <p className="flex flex-wrap gap-x-3">
          <span className="font-mono">{payment.tradeHash}</span>
          <span className="font-medium tabular-nums">{usd(payment.amount)}</span>
          <span className="text-muted-foreground">
            <Person name={payment.customerUsername} /> · {cardName(payment.cardBrand, payment.cardLast4)}
          </span>
        </p>
      )}
    />
  )
}
