import { createFileRoute } from '@tanstack/react-router'
import { PayoutAccountsScreen } from '@/features/settings/payout-accounts-screen'

export const Route = createFileRoute('/_app/settings/payouts')({ component: PayoutAccountsScreen })
