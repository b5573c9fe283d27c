import { createFileRoute } from '@tanstack/react-router'
import { GiftCardsScreen } from '@/features/gift-cards/gift-cards-screen'

export const Route = createFileRoute('/_app/gift-cards/')({ component: GiftCardsScreen })
