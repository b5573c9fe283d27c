import type { PayoutDetail } from '@/api/types.gen'
import type { StepState, TimelineStep } from '@/components/status/timeline'
import { day } from '@/lib/format'
import { payoutStory, payouts } from '@/messages/payouts'

const BANK_DAYS = 3

/** By which day (UTC) a transfer made at `paidAt` has arrived: weekends do not count. */
export function arrivesBy(paidAt: string): string {
  const date = new Date(paidAt)
  date.setUTCHours(12, 0, 0, 0) // noon: the same day nearly everywhere
  for (let left = BANK_DAYS; left > 0; ) {
    date.setUTCDate(date.getUTCDate() + 1)
    if (date.getUTCDay() !== 0 && date.getUTCDay() !== 6) left -= 1
  }
  return date.toISOString()
}

const path = ['requested', 'approved', 'paid'] as const

/** The steps of one payout: our three and the bank's; one that is over ends where it did. */
export function stepsOf(payout: PayoutDetail): TimelineStep[] {
  const happened = new Map(payout.events.map((event) => [event.kind as string, event]))
  const notes = (kind: string) => {
    const event = happened.get(kind)
    return event ? [{ id: event.id, text: payoutStory[event.kind], at: event.at }] : []
  }
  const step = (key: keyof typeof payouts.step, state: StepState): TimelineStep => ({
    key,
    title: payouts.step[key],
    state,
    notes: notes(key),
  })
  if (payout.status === 'unconfirmed') {
    const asked = { ...step('confirmed', 'waiting'), notes: notes('confirmation_requested') }
    return [asked, ...path.map((kind) => step(kind, 'next')), step('arrives', 'next')]
  }
  const over = payout.status === 'rejected' || payout.status === 'cancelled' || payout.status === 'returned'
  if (over) {
    const done = path.filter((kind) => happened.has(kind)).map((kind) => step(kind, 'done'))
    return [...done, step(payout.status, payout.status === 'cancelled' ? 'ended' : 'failed')]
  }
  const at = path.indexOf(payout.status as (typeof path)[number])
  const ours = path.map((kind, index) => {
    if (index <= at) return step(kind, 'done')
    return step(kind, index === at + 1 ? 'waiting' : 'next')
  })
  const bank: TimelineStep = step('arrives', payout.status === 'paid' ? 'current' : 'next')
  if (payout.paidAt) bank.notes = [{ id: 'arrival', text: payouts.arrival(day(arrivesBy(payout.paidAt))) }]
  return [...ours, bank]
}
