import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { isUnanswered } from '@/components/form/send-error'
import { HttpError, idempotencyKey, messageOf } from '@/lib/http'
import { useSignedInUser } from '@/lib/session'
import { toast } from '@/lib/toast'
import { buy } from '@/messages/buy'
import { orderQuery } from '../orders/queries'
import { endDraft } from './draft'
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

/** How long a customer is kept waiting for the payment page before the order's own page is enough. */
const READY_MS = 4_000
const LOOK_MS = 400

/** Opens the payment page as soon as it is ready, unless the customer has left the order's page by then. */
async function openPayment(client: QueryClient, id: string): Promise<void> {
  const page = `/orders/${id}`
  const end = Date.now() + READY_MS
  while (Date.now() < end && window.location.pathname === page) {
    const order = await client.fetchQuery({ ...orderQuery(id), staleTime: 0 }).catch(() => undefined)
    const checkout = order?.payment.checkout
    if (order?.status !== 'pending' || checkout?.state === 'done') return
    if (checkout?.url && window.location.pathname === page) return window.location.assign(checkout.url)
    await new Promise((done) => setTimeout(done, LOOK_MS))
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
      endDraft(userId)
      toast({ title: buy.orderCreated, description: buy.orderCreatedText })
      void client.invalidateQueries({ queryKey: ['orders'] })
      void client.invalidateQueries({ queryKey: ['transactions'] })
      void client.invalidateQueries({ queryKey: ['limits'] })
      await navigate({ to: '/orders/$id', params: { id: order.id } })
      if (order.paymentMethod === 'card') await openPayment(client, order.id)
    },
    onError: (error) => {
      // Without an answer the order may have been created: the list shows it, and the dialog says so.
      if (isUnanswered(error)) return void client.invalidateQueries({ queryKey: ['orders'] })
      toast({
        title: buy.orderFailed,
        description: messageOf(error, buy.orderFailedText),
        variant: 'destructive',
      })
      if (isPriceOver(error)) void client.invalidateQueries({ queryKey: ['pricing'] })
    },
  })
}
