import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useRef } from 'react'
import { HttpError, idempotencyKey, messageOf } from '@/lib/http'
import { toast } from '@/lib/toast'
import { buy } from '@/messages/buy'
import { clearDraft } from './draft'
import { type HeldPrice, placeOrder } from './queries'

export interface Purchase {
  asset: string
  amountAsset: string
  paymentMethod: string
  destAddress: string
  network: string
  price: HeldPrice
}

/**
 * Sends the order. The Idempotency-Key belongs to the intent: the same purchase at the same price keeps it across
 * retries, so that a lost answer never buys twice; a changed one gets its own.
 */
export function usePurchase() {
  const client = useQueryClient()
  const navigate = useNavigate()
  const intent = useRef({ of: '', key: '' })
  return useMutation({
    mutationFn: ({ price, ...order }: Purchase) => {
      const body = { ...order, quoteId: price.quoteId }
      const of = JSON.stringify(body)
      if (intent.current.of !== of) intent.current = { of, key: idempotencyKey() }
      return placeOrder(body, intent.current.key)
    },
    onSuccess: async (order) => {
      clearDraft()
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
      const moved = error instanceof HttpError && error.status === 409 && error.code.startsWith('quote')
      if (moved) void client.invalidateQueries({ queryKey: ['pricing'] })
    },
  })
}
