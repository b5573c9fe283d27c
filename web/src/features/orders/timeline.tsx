import type { OrderDetail } from '@/api/types.gen'
import { Timeline } from '@/components/status/timeline'
import { stepsOf } from './steps'
import { eventSentence } from './story'

/** The order's story: what is done, what happens now, what comes. */
export function OrderTimeline({ order }: { order: OrderDetail }) {
  const steps = stepsOf(order).map(({ events, ...step }) => ({
    ...step,
    notes: events.map((event) => ({ id: event.id, text: eventSentence(event), at: event.at })),
  }))
  return <Timeline steps={steps} />
}
