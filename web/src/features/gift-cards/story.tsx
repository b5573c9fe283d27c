import type { ReactNode } from 'react'
import type { GiftCardEvent } from '@/api/types.gen'
import { Story } from '@/components/status/story'
import { giftCardStory } from '@/messages/gift-cards'

interface GiftCardStoryProps {
  events: readonly GiftCardEvent[]
  timeOf?: (at: string, after: string | undefined) => ReactNode
}

/** What happened to a card, oldest first. */
export function GiftCardStory({ events, ...times }: GiftCardStoryProps) {
  return <Story {...times} events={events} tell={(event) => giftCardStory[event.kind](event)} />
}
