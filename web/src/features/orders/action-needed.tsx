import { TriangleAlert } from 'lucide-react'
import type { Order } from '@/api/types.gen'
import { useNow } from '@/lib/clock'
import { cn } from '@/lib/cn'
import { shortTime, timeLeft } from '@/lib/format'
import { actionTexts as texts } from '@/messages/actions'
import { statusLabels } from '@/messages/status'

export type OrderAction = NonNullable<Order['action']>

/** What the customer has to do, and the time there is for it; "" when it is over. */
export function actionWords({ kind, deadline }: OrderAction, now: number): { what: string; left: string } {
  const what = texts.kinds[kind]
  const left = deadline ? new Date(deadline).getTime() - now : 0
  if (left <= 0) return { what, left: '' }
  return { what: texts.by(what, shortTime(deadline)), left: texts.left(timeLeft(left)) }
}

interface ActionNeededProps {
  action: OrderAction
  /** In a list: one line on a phone, without the time that is left. */
  listed?: boolean
  className?: string
}

/** The mark of an order that waits for its customer, with the deadline. */
export function ActionNeeded({ action, listed, className }: ActionNeededProps) {
  const { what, left } = actionWords(action, useNow(30_000))
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
      <span className={cn('min-w-0 tabular-nums', listed && 'max-md:font-medium')}>
        {what} <span className={listed ? 'max-md:hidden' : ''}>{left}</span>
      </span>
    </span>
  )
}
