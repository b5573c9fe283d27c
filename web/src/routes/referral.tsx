import { createFileRoute } from '@tanstack/react-router'
import { ReferralScreen } from '@/features/referral/referral-screen'

export const Route = createFileRoute('/referral')({ component: ReferralScreen })
