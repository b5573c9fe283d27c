import { createFileRoute } from '@tanstack/react-router'
import { PricingScreen } from '@/features/pricing/pricing-screen'

export const Route = createFileRoute('/pricing')({ component: PricingScreen })
