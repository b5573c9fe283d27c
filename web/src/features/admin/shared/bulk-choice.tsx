import type { AdminOrder } from '@/api/types.gen'
import { bulk as texts } from '@/messages/admin-proposals'

/** What may be fulfilled together: paid orders that this admin could fulfill one by one. */
export const fulfillable = (order: AdminOrder) =>
  order.status === 'payment_approved' && order.actions.includes('fulfill') && !order.decision

interface ChooseProps {
  order: AdminOrder
  on: boolean
  onChange: (on: boolean) => void
}

/** On a card: whether it is one of those that are fulfilled together. */
export function Choose({ order, on, onChange }: ChooseProps) {
  return (
    <label className="inline-flex min-h-8 items-center gap-2 text-sm max-md:min-h-11 max-md:min-w-11 max-md:justify-center">
      <input
        type="checkbox"
        checked={on}
        onChange={(event) => onChange(event.target.checked)}
        className="size-4 accent-primary"
      />
      <span className="max-md:sr-only">{texts.choose}</span>
      <span className="sr-only"> {order.reference}</span>
    </label>
  )
}
