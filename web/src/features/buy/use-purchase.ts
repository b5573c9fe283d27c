import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { dropDraft } from '@/lib/drafts'
import { HttpError, idempotencyKey, messageOf } from '@/lib/http'
import { useSignedInUser } from '@/lib/session'
import { toast } from '@/lib/toast'
import { buy } from '@/messages/buy'
import { BUY } from './draft'
import { type HeldPrice, placeOrder } from './queries'
import { forgetSent, rememberSent, unansweredLike } from './unanswered'

export interface Purchase {
  asset: string
  amountAsset: string
  paymentMethod: string
  destAddress: string
  network: string
  price: HeldPrice
}

type Sent = Omit<Purchase, 'price'> & { quoteId: string }

/** The server has decided: the order was made, or it never will be under this key's price. */
function isDecided(error: unknown): error is HttpError {
  return error instanceof HttpError && error.status < 500 && error.status !== 401 && error.status !== 429
}

function isPriceOver(error: unknown): boolean {
  return error instanceof HttpError && error.status === 409 && error.code.startsWith('quote')
}

/**
 * Sends an order under a key of its own, unless the same was sent before and not answered: then that one is sent again
 * as it was, which makes it or finds it. Only if its price is over, so that it never was and cannot be made, is it sent
 * at the price of now.
 */
async function sendOnce(userId: string, order: Sent) {
  const before = unansweredLike(userId, order)
  const attempt = before ?? { key: idempotencyKey(), order }
  rememberSent(userId, attempt)
  try {
    const made = await placeOrder(attempt.order, attempt.key)
    forgetSent(userId)
    return made
  } catch (error) {
    if (isDecided(error)) forgetSent(userId)
    if (before && isPriceOver(error) && before.order.quoteId !== order.quoteId) return sendOnce(userId, order)
    throw error
  }
}

/** Buys, once for each intent: a lost answer never buys twice. */
export function usePurchase() {
  const client = useQueryClient()
  const navigate = useNavigate()
  const { id: userId } = useSignedInUser()
  return useMutation({
    mutationFn: ({ price, ...order }: Purchase) => sendOnce(userId, { ...order, quoteId: price.quoteId }),
    onSuccess: async (order) => {
      dropDraft(userId, BUY)
      toast({ title: buy.orderCreated, description: buy.orderCreatedText })
      void client.invalidateQueries({ queryKey: ['orders'] })
      void client.invalidateQueries({ queryKey: ['transactions'] })
      void client.invalidateQueries({ queryKey: ['limits'] })
      await navigate({ to: '/orders/$id', params: { id: order.id } })
    },
    onError: (error) => {
      toast({
        title: buy.orderFailed,
        description: messageOf(error, buy.orderFailedText),
        variant: 'destructive',
      })
      // Without an answer the order may have been made: the list tells.
      if (!(error instanceof HttpError)) void client.invalidateQueries({ queryKey: ['orders'] })
      if (isPriceOver(error)) void client.invalidateQueries({ queryKey: ['pricing'] })
    },
  })
}
