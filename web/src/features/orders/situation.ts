/**
 * An order's state when it does not simply progress: what happened, where the money is, what comes next. One
 * place for every waiting, failed and ended state, so that each has its texts and its test.
 */
import type { Order, OrderDetail } from '@/api/types.gen'
import { cardName, crypto, shortTime, usd } from '@/lib/format'
import { compare, remainder } from '@/lib/money'
import { orders } from '@/messages/orders'
import { situations as texts, type WaitingWord, waitingTexts } from '@/messages/situations'

export interface Situation {
  tone: 'info' | 'pending' | 'danger' | 'success'
  /** Its identifier; styles and tests use it. */
  key: string
  title: string
  happened: string
  money: string
  next: string
  since?: string | undefined
}

type Words = Pick<Situation, 'title' | 'happened' | 'next'>

function isWaitingWord(word: string): word is WaitingWord {
  return Object.hasOwn(waitingTexts, word)
}

/** The text of a reason; an unknown one is shown as under review. */
export function waitingWords(word: string): Words {
  return waitingTexts[isWaitingWord(word) ? word : 'being_reviewed']
}

/** Money that arrived for an order and does not fit it: the payment is awaited no more. */
const moneyWords = ['money_short', 'money_over', 'money_late'] as const

export function hasMoney({ attention }: Pick<Order, 'attention'>): boolean {
  return moneyWords.some((word) => word === attention?.reason)
}

/** Where a refund would go, or went. */
export function refundPlace(order: OrderDetail): string {
  if (order.paymentMethod !== 'card') return texts.place.yourBalance
  return cardName(order.payment.cardBrand, order.payment.cardLast4) ?? texts.place.yourCard
}

/** The amount that can still be refunded. */
export function refundable(order: OrderDetail): string {
  return remainder(order.received, order.refunded)
}

function isFrozen({ attention }: OrderDetail): boolean {
  return attention?.reason === 'account_frozen'
}

function given(order: OrderDetail): string {
  const done = order.refunds.filter((refund) => refund.status === 'succeeded')
  const card = cardName(order.payment.cardBrand, order.payment.cardLast4) ?? texts.place.yourCard
  return done
    .map((refund) =>
      refund.destination === 'card'
        ? texts.place.backToCard(usd(refund.amount), card)
        : texts.place.backToBalance(usd(refund.amount)),
    )
    .join(' ')
}

/** Where the money is right now. */
export function moneyPlace(order: OrderDetail): string {
  const { place } = texts
  const card = cardName(order.payment.cardBrand, order.payment.cardLast4) ?? place.yourCard
  if (order.metadata.resolution === 'refunded') return given(order) || place.nothing
  const parts: string[] = []
  if (order.status === 'sent') parts.push(place.sent(`${crypto(order.amountAsset)} ${order.asset}`))
  else if (order.status === 'filled') parts.push(place.coin(`${crypto(order.amountAsset)} ${order.asset}`))
  else if (order.paidAt) parts.push(takenFrom(order, card))
  else if (compare(order.received, '0') > 0)
    parts.push((isFrozen(order) ? place.kept : place.apart)(usd(order.received)))
  else if (order.status === 'failed') parts.push(order.payment.authorisedAt ? place.released : place.nothing)
  else if (order.payment.authorisedAt) parts.push(place.authorised(usd(order.total), card))
  else parts.push(order.paymentMethod === 'card' ? place.nothing : place.awaited)
  const back = given(order)
  return back ? `${parts.join(' ')} ${back}` : parts.join(' ')
}

function takenFrom(order: OrderDetail, card: string): string {
  const amount = usd(compare(order.received, '0') > 0 ? order.received : order.total)
  if (order.paymentMethod === 'card') return texts.place.charged(amount, card)
  return order.paymentMethod === 'balance' ? texts.place.fromBalance(amount) : texts.place.arrived(amount)
}

/** The situation of an order that does not simply progress; undefined for one that does. */
export function situationOf(order: OrderDetail): Situation | undefined {
  const found = ended(order) ?? refunding(order) ?? chosen(order) ?? stopped(order) ?? waiting(order)
  return found && { ...found, money: moneyPlace(order) }
}

type Found = Omit<Situation, 'money'> | undefined

function ended(order: OrderDetail): Found {
  const { resolution } = order.metadata
  if (order.dispute?.status === 'open')
    return { tone: 'danger', key: 'disputed', ...disputed(order), since: order.dispute.at }
  if (order.dispute?.status === 'lost' || order.dispute?.status === 'accepted')
    return { tone: 'danger', key: 'dispute_lost', ...texts.dispute.lost, since: order.dispute.at }
  if (order.status !== 'failed' || !resolution) return undefined
  const lapsed = resolution === 'expired' && order.payment.authorisedAt !== null
  const key = lapsed ? 'lapsed' : resolution
  const words = Object.hasOwn(texts.ends, key) ? texts.ends[key as keyof typeof texts.ends] : texts.failed
  return {
    tone: resolution === 'declined' ? 'danger' : 'info',
    key,
    ...words,
    since: order.closedAt ?? undefined,
  }
}

/** What was sent does not wait for the bank any more. */
function disputed({ status }: OrderDetail): Words {
  return status === 'sent'
    ? { ...waitingTexts.disputed, next: texts.dispute.afterSending }
    : waitingTexts.disputed
}

function refunding(order: OrderDetail): Found {
  const asked = order.decision?.kind === 'refund_now' || order.decision?.kind === 'refund'
  const sent = order.refunds.some((refund) => refund.status === 'requested' || refund.status === 'pending')
  if (!asked && !sent) return undefined
  return { tone: 'info', key: 'refunding', ...texts.refunding }
}

function chosen(order: OrderDetail): Found {
  const { choice } = order
  if (!choice) return undefined
  if (choice.keptUntil && !choice.dueAt)
    return { tone: 'info', key: 'kept', ...texts.kept, next: texts.kept.next(shortTime(choice.keptUntil)) }
  if (choice.reason === 'failed') return failed(order)
  return {
    tone: 'pending',
    key: choice.reason,
    ...waitingWords(choice.reason),
    since: order.attention?.since,
  }
}

function failed(order: OrderDetail): Found {
  const { fulfillmentError, fulfillmentCode } = order.metadata
  const { title, happened, next, choose, network } = texts.failed
  return {
    tone: 'danger',
    key: 'failed',
    title,
    happened: fulfillmentError ?? happened,
    next: order.choice ? choose : fulfillmentCode === 'transfer_failed' ? network : next,
  }
}

function stopped(order: OrderDetail): Found {
  if (order.attention)
    return {
      tone: 'pending',
      key: order.attention.reason,
      ...attentionWords(order, order.attention.reason),
      // Of a hold on the account the order knows only since when it waits, which may be for something else.
      since: isFrozen(order) ? undefined : order.attention.since,
    }
  return order.status === 'failed' ? failed(order) : undefined
}

function attentionWords(order: OrderDetail, reason: string): Words {
  if (reason === 'disputed') return disputed(order)
  const words = waitingWords(reason)
  return reason === 'address_refused' && order.heldAddress ? { ...words, next: texts.addressHeld } : words
}

function waiting(order: OrderDetail): Found {
  const { retryCount } = order.metadata
  const lastHeld = order.events.findLastIndex((event) => event.kind === 'held')
  const resumed = order.events.findLastIndex((event) => event.kind === 'resumed')
  if (order.status === 'payment_approved' && lastHeld > resumed)
    return { tone: 'pending', key: 'held', ...texts.held, since: order.events[lastHeld]?.at }
  if (order.retrying && order.status !== 'sent' && order.status !== 'failed')
    return {
      tone: 'info',
      key: 'retrying',
      title: orders.retryTitle,
      happened: orders.retrying(retryCount),
      next: orders.retryNext,
    }
  return undefined
}
