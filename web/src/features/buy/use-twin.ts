import { useInfiniteQuery } from '@tanstack/react-query'
import { serverNow } from '@/lib/server-clock'
import { useSignedInUser } from '@/lib/session'
import { ordersQuery } from '../orders/queries'
import { type Purchased, twinOf, unansweredLike } from './unanswered'

interface Sending {
  isPending: boolean
  isSuccess: boolean
}

/**
 * A recent order like the one that is about to be created: from another tab, from before the Back button, or
 * from a press whose answer was lost. A second one is never created without a warning.
 */
export function useTwin(wanted: Purchased, { isPending, isSuccess }: Sending) {
  const { id } = useSignedInUser()
  const query = useInfiniteQuery(ordersQuery())
  // The order that is just being made is no twin of itself.
  const order =
    isPending || isSuccess ? undefined : twinOf(query.data?.pages[0]?.items ?? [], wanted, serverNow())
  return {
    order,
    /** The recent orders were checked, as far as they could be read. */
    known: query.isFetchedAfterMount || query.fetchStatus === 'paused',
    /** To confirm makes another order, and does not only find the one without an answer. */
    another: order !== undefined && !unansweredLike(id, wanted),
  }
}
