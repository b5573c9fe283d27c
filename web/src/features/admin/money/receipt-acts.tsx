import type { AdminReceipt, AdminReturn, MoneyRecall } from '@/api/types.gen'
import { usd } from '@/lib/format'
import { isPositive } from '@/lib/money'
import { useSignedInUser } from '@/lib/session'
import { adminMoney as texts } from '@/messages/admin-money'
import { calendarDay } from '../shared/calendar-day'
import { type DecisionButton, RowDecisions } from '../shared/decision-buttons'
import { MoneyDialog } from './money-dialog'

const receiptButtons = (['reverse', 'return', 'reinstate'] as const).map(
  (action): DecisionButton<typeof action> => ({ action, label: texts.actions[action] }),
)

/** The proposals about a receipt: that it belongs to another order, or that its bank reversed it. */
export function ReceiptActs({ receipt }: { receipt: AdminReceipt }) {
  const { permissions } = useSignedInUser()
  if (receipt.reversed || !permissions.includes('decide_payments')) return null
  return (
    <span className="mt-2 flex w-full flex-wrap gap-2">
      <RowDecisions
        buttons={receiptButtons}
        actions={['reverse', 'return']}
        row={receipt.bankReference}
        dialog={(act, close) => (
          <MoneyDialog
            act={act}
            id={receipt.id}
            about={`${usd(receipt.amount)} · ${receipt.bankReference}`}
            amount={receipt.amount}
            onClose={close}
          />
        )}
      />
    </span>
  )
}

/** The details of a return. */
export function returnNote({ bankReference, returnedOn, clawed, reinstatedAt }: AdminReturn): string {
  const borne = Number(clawed) > 0 ? texts.bornByCustomer(usd(clawed)) : ''
  return [bankReference, calendarDay(returnedOn), borne, reinstatedAt ? texts.cameBack : '']
    .filter(Boolean)
    .join(' · ')
}

/** The details of a return of credited money. */
export function recallNote({
  reference,
  bankReference,
  returnedOn,
  owed,
  reinstatedAt,
}: MoneyRecall): string {
  const rest = isPositive(owed) ? texts.owed(usd(owed)) : ''
  return [reference, bankReference, calendarDay(returnedOn), rest, reinstatedAt ? texts.cameBack : '']
    .filter(Boolean)
    .join(' · ')
}

interface ReturnActsProps {
  gone: Pick<AdminReturn, 'id' | 'kind' | 'amount' | 'bankReference' | 'reinstatedAt'>
}

/** A return by the bank can itself be reversed. */
export function ReturnActs({ gone }: ReturnActsProps) {
  const { permissions } = useSignedInUser()
  if (gone.kind !== 'return' || gone.reinstatedAt || !permissions.includes('decide_payments')) return null
  return (
    <span className="mt-2 flex w-full flex-wrap gap-2">
      <RowDecisions
        buttons={receiptButtons}
        actions={['reinstate']}
        row={gone.bankReference ?? ''}
        dialog={(act, close) => (
          <MoneyDialog
            act={act}
            id={gone.id}
            about={`${usd(gone.amount)} · ${gone.bankReference ?? ''}`}
            onClose={close}
          />
        )}
      />
    </span>
  )
}
