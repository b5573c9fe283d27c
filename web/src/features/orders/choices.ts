import { getRequote, keepOrder, keepTrying, refundNow, requoteOrder } from '@/api/sdk.gen'
import type { OrderDetail, Outcome, Requote } from '@/api/types.gen'
import { HttpError } from '@/lib/http'
import { serverNow } from '@/lib/server-clock'

/** What a customer may choose about an order that stopped, or whose money does not fit; in the order of the buttons. */
const kinds = ['keep_trying', 'requote', 'keep_order', 'refund_now'] as const
export type ChoiceKind = (typeof kinds)[number]

export async function choose(order: OrderDetail, kind: ChoiceKind, quoteId?: string): Promise<Outcome> {
  const path = { id: order.id }
  switch (kind) {
    case 'keep_trying':
      return (await keepTrying({ path })).data
    case 'refund_now':
      return (await refundNow({ path })).data
    case 'keep_order':
      return (await keepOrder({ path })).data
    case 'requote':
      return (await requoteOrder({ path, body: { quoteId: quoteId ?? '' } })).data
  }
}

/** Today's price for the money that arrived, with its end, from the seconds the server gave it. */
export type HeldRequote = Requote & { endsAt: number }

function held(price: Requote): HeldRequote {
  return { ...price, endsAt: serverNow() + price.expiresInSeconds * 1000 }
}

export async function readRequote(order: OrderDetail, signal: AbortSignal): Promise<HeldRequote> {
  return held((await getRequote({ path: { id: order.id }, signal })).data)
}

/** A price that had run out when it was accepted is refused together with the one in force. */
export function newPriceIn(error: unknown): HeldRequote | undefined {
  if (!(error instanceof HttpError) || error.code !== 'quote_expired') return undefined
  const body = error.body as { requote?: Requote } | undefined
  return body?.requote ? held(body.requote) : undefined
}

/** What the order offers now. */
export function offersOf(order: OrderDetail): ChoiceKind[] {
  return kinds.filter((kind) => order.choice?.offers.includes(kind))
}
