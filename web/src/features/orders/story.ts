import type { OrderEvent } from '@/api/types.gen'
import { crypto, shortTime, usd } from '@/lib/format'
import { type EventData, type EventKind, eventTexts } from '@/messages/order-story'

/** Figures of an event by how they are written out; all others stay as they are. */
const dollars = new Set(['amount', 'received', 'expected', 'total', 'left', 'credited'])
const times = new Set(['at', 'dueAt', 'dueBy'])

function written(data: OrderEvent['data']): EventData {
  const out: EventData = {}
  for (const [name, value] of Object.entries(data)) {
    if (typeof value !== 'string' && typeof value !== 'number') continue
    const text = String(value)
    out[name] = dollars.has(name)
      ? usd(text)
      : times.has(name)
        ? shortTime(text)
        : name === 'amountAsset'
          ? crypto(text)
          : text
  }
  return out
}

function isKnown(kind: string): kind is EventKind {
  return Object.hasOwn(eventTexts, kind)
}

/** One event of the timeline as text. A newer server may send kinds that this page does not have. */
export function eventSentence(event: { kind: string; data?: OrderEvent['data'] }): string {
  if (!isKnown(event.kind)) {
    const words = event.kind.replaceAll('_', ' ')
    return words.charAt(0).toUpperCase() + words.slice(1)
  }
  const sentence = eventTexts[event.kind]
  return typeof sentence === 'string' ? sentence : sentence(written(event.data ?? {}))
}
