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

/** The mark of an order that waits for its customer, with the deadline. */
export function ActionNeeded({ action, className }: { action: OrderAction; className?: string }) {
  const now = useNow(30_000)
  return (
    <span className={cn('flex flex-wrap items-center gap-x-2 gap-y-1 text-sm', className)}>
      <span className="inline-flex items-center gap-1.5 rounded-full bg-pending-tint px-2.5 py-1 text-xs font-semibold whitespace-nowrap text-pending-text">
        <TriangleAlert aria-hidden className="size-3.5 shrink-0" />
        {statusLabels.action}
      </span>
      <span className="tabular-nums">{actionSentence(action, now)}</span>
    </span>
  )
}
