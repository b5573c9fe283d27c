import { createFileRoute } from '@tanstack/react-router'
import { BuyScreen } from '@/features/buy/buy-screen'

export const Route = createFileRoute('/_app/buy')({ component: BuyScreen })
