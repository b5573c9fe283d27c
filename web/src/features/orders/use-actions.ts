import { useQuery } from '@tanstack/react-query'
import type { Order } from '@/api/types.gen'
import { actionsQuery } from './queries'

function deadlineOf(order: Order): number {
  return order.action?.deadline ? Date.parse(order.action.deadline) : Number.POSITIVE_INFINITY
}

/** Where money of theirs waits comes before what is not paid; then the earlier deadline. */
function byUrgency(a: Order, b: Order): number {
  const unpaid = (order: Order) => Number(order.action?.kind === 'pay')
  return unpaid(a) - unpaid(b) || deadlineOf(a) - deadlineOf(b) || 0
}

/** The orders that wait for this customer, the most urgent first; undefined while that is loading. */
export function useKnownActions(): { actions: Order[] | undefined; failed: boolean } {
  const { data, isError } = useQuery(actionsQuery)
  return {
    actions: data?.items.toSorted(byUrgency),
    failed: isError && !data,
  }
}

/** The same, empty while they are loading. */
export function useActions(): Order[] {
  return useKnownActions().actions ?? []
}

/** Orders with those that wait for their customer first. */
export function waitingFirst(orders: Order[], waiting: Order[]): Order[] {
  const first = new Set(waiting.map(({ id }) => id))
  return [...waiting, ...orders.filter(({ id }) => !first.has(id))]
}
