import type { Transaction } from '@/api/types.gen'
import { historyLook, lookOfOrder, type StatusLook } from '@/components/status/status'
import { useActions } from '../orders/use-actions'

/** How a line of history is drawn: an order that waits for its customer as on its page. */
export function useHistoryLook(): (row: Transaction) => StatusLook {
  const waiting = useActions()
  return (row) => {
    const order = waiting.find(({ id }) => id === row.id)
    return order ? lookOfOrder(order) : historyLook(row)
  }
}
