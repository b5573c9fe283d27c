import { useQuery } from '@tanstack/react-query'
import type { Order } from '@/api/types.gen'
import { actionsQuery } from './queries'

function deadlineOf(order: Order): number {
  return order.action?.deadline ? Date.parse(order.action.deadline) : Number.POSITIVE_INFINITY
}

/** The orders that wait for this customer, the most urgent first; undefined while that is not known. */
export function useKnownActions(): { actions: Order[] | undefined; failed: boolean } {
  const { data, isError } = useQuery(actionsQuery)
  return {
    actions: data?.items.toSorted((a, b) => deadlineOf(a) - deadlineOf(b) || 0),
    failed: isError && !data,
  }
}

/** The same, of which none are shown while they are not known. */
export function useActions(): Order[] {
  return useKnownActions().actions ?? []
}

/** Orders with those that wait for their customer first. */
export function waitingFirst(orders: Order[], waiting: Order[]): Order[] {
  const first = new Set(waiting.map(({ id }) => id))
  return [...waiting, ...orders.filter(({ id }) => !first.has(id))]
}
