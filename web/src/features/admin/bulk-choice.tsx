import type { AdminOrder } from '@/api/types.gen'
import { Button } from '@/components/ui/button'
import { bulk as texts } from '@/messages/admin-order'

/** What may be fulfilled together: paid orders that this person could fulfill one by one. */
export const fulfillable = (order: AdminOrder) =>
  order.status === 'payment_approved' && order.actions.includes('fulfill') && !order.decision

interface ChoiceBarProps {
  chosen: readonly AdminOrder[]
  possible: readonly AdminOrder[]
  onChoose: (ids: ReadonlySet<string>) => void
  onFulfil: () => void
}

/** Shown while more than one order could be fulfilled. */
export function ChoiceBar({ chosen, possible, onChoose, onFulfil }: ChoiceBarProps) {
  if (possible.length < 2 && chosen.length === 0) return null
  return (
    <div className="flex w-full flex-wrap items-center gap-2">
      {chosen.length > 0 ? (
        <Button size="sm" onClick={onFulfil}>
          {texts.go(chosen.length)}
        </Button>
      ) : null}
      {chosen.length < possible.length ? (
        <Button
          size="sm"
          variant="outline"
          onClick={() => onChoose(new Set(possible.map((order) => order.id)))}
        >
          {texts.all(possible.length)}
        </Button>
      ) : null}
      {chosen.length > 0 ? (
        <Button size="sm" variant="ghost" onClick={() => onChoose(new Set())}>
          {texts.none}
        </Button>
      ) : null}
    </div>
  )
}

interface ChooseProps {
  order: AdminOrder
  on: boolean
  onChange: (on: boolean) => void
}

/** On a card: whether it is one of those that are fulfilled together. */
export function Choose({ order, on, onChange }: ChooseProps) {
  return (
    <label className="inline-flex min-h-8 items-center gap-2 text-sm">
      <input
        type="checkbox"
        checked={on}
        onChange={(event) => onChange(event.target.checked)}
        className="size-4 accent-primary"
      />
      {texts.choose}
      <span className="sr-only"> {order.reference}</span>
    </label>
  )
}
