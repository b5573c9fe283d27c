import { createFileRoute } from '@tanstack/react-router'
import { BalanceScreen } from '@/features/balance/balance-screen'

export const Route = createFileRoute('/_app/balance')({ component: BalanceScreen })
