import type { GiftCardEvent } from '@/api/types.gen'
import { Story } from '@/components/status/story'
import { giftCardStory } from '@/messages/gift-cards'

/** What happened to a card, oldest first. */
export function GiftCardStory({ events }: { events: readonly GiftCardEvent[] }) {
  return <Story events={events} tell={(event) => giftCardStory[event.kind](event)} />
}
