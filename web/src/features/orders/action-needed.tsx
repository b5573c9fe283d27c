import { TriangleAlert } from 'lucide-react'
import type { Order } from '@/api/types.gen'
import { useNow } from '@/lib/clock'
import { cn } from '@/lib/cn'
import { shortTime, timeLeft } from '@/lib/format'
import { actionTexts as texts } from '@/messages/actions'
import { statusLabels } from '@/messages/status'

export type OrderAction = NonNullable<Order['action']>

/** What the customer has to do, with the time there is for it; "" when it is over. */
export function actionSentence({ kind, deadline }: OrderAction, now: number): string {
  const what = texts.kinds[kind]
  if (!deadline) return what
  const left = new Date(deadline).getTime() - now
  return left > 0 ? texts.by(what, shortTime(deadline), timeLeft(left)) : what
}

interface ActionNeededProps {
  action: OrderAction
  /** In a list: one line on a phone. */
  listed?: boolean
  className?: string
}

/** The mark of an order that waits for its customer, with the deadline. */
export function ActionNeeded({ action, listed, className }: ActionNeededProps) {
  const now = useNow(30_000)
  return (
    <span
      className={cn(
        'flex flex-wrap items-center gap-x-2 gap-y-1 text-sm',
        listed && 'max-md:flex-nowrap max-md:text-xs',
        className,
      )}
    >
      <span
        className={cn(
          'inline-flex items-center gap-1.5 rounded-full bg-pending-tint px-2.5 py-1 text-xs font-semibold whitespace-nowrap text-pending-text',
          listed && 'max-md:px-1',
        )}
      >
        <TriangleAlert aria-hidden className="size-3.5 shrink-0" />
        <span className={listed ? 'max-md:sr-only' : ''}>{statusLabels.action}</span>
      </span>
      <span className={cn('min-w-0 tabular-nums', listed && 'max-md:truncate max-md:font-medium')}>
        {actionSentence(action, now)}
      </span>
    </span>
  )
}
