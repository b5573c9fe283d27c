import type { OrderDetail, Outcome } from '@/api/types.gen'
import { appFetch } from '@/lib/http'

/** What a customer may choose about an order that stopped, or whose money does not fit. */
export const choiceKinds = ['keep_trying', 'refund_now', 'requote', 'keep_order'] as const
export type ChoiceKind = (typeof choiceKinds)[number]

const paths: Record<ChoiceKind, string> = {
  keep_trying: 'keep-trying',
  refund_now: 'refund',
  requote: 'requote',
  keep_order: 'keep',
}

/** Today's price for the money that arrived. */
export interface Requote {
  quoteId: string
  expiresAt: string
  asset: string
  amountAsset: string
  unitPrice: string
  total: string
  credit: string
}

function address(order: OrderDetail, kind: ChoiceKind): string {
  return `/api/orders/${encodeURIComponent(order.id)}/${paths[kind]}`
}

export async function choose(order: OrderDetail, kind: ChoiceKind, quoteId?: string): Promise<Outcome> {
  const response = await appFetch(address(order, kind), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    ...(quoteId ? { body: JSON.stringify({ quoteId }) } : {}),
  })
  return (await response.json()) as Outcome
}

export async function readRequote(order: OrderDetail, signal?: AbortSignal): Promise<Requote> {
  const response = await appFetch(address(order, 'requote'), signal ? { signal } : {})
  return (await response.json()) as Requote
}

/** What the order offers now, in the order of the buttons. */
export function offersOf(order: OrderDetail): ChoiceKind[] {
  const offered = new Set([...(order.choice?.offers ?? []), ...order.choices])
  return choiceKinds.filter((kind) => offered.has(kind))
}
