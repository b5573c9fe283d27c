import type { GiftCardEvent } from '@/api/types.gen'
import { Time } from '@/components/status/time'
import { giftCardStory } from '@/messages/gift-cards'

/** What happened to a card, oldest first. */
export function GiftCardStory({ events }: { events: readonly GiftCardEvent[] }) {
  return (
    <ol className="space-y-3">
      {events.map((event, index) => (
        <li
          key={event.id}
          aria-current={index === events.length - 1 ? 'step' : undefined}
          className="flex flex-wrap justify-between gap-x-4 text-sm"
        >
          <span className="min-w-0 wrap-anywhere">{giftCardStory[event.kind](event)}</span>
          <span className="text-muted-foreground">
            <Time at={event.at} />
          </span>
        </li>
      ))}
    </ol>
  )
}
