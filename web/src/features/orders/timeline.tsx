import type { OrderDetail } from '@/api/types.gen'
import { Timeline } from '@/components/status/timeline'
import { orders } from '@/messages/orders'
import { stepsOf } from './steps'
import { eventSentence } from './story'

/** The order's story: what is done, what happens now, what comes. */
export function OrderTimeline({ order }: { order: OrderDetail }) {
  const steps = stepsOf(order).map(({ events, ...step }) => {
    const ahead = step.state === 'next' && order.status !== 'failed' ? orders.ahead[step.key] : undefined
    return {
      ...step,
      notes: ahead
        ? [{ id: step.key, text: ahead }]
        : events.map((event) => ({ id: event.id, text: eventSentence(event), at: event.at })),
    }
  })
  return <Timeline steps={steps} />
}
