import { createFileRoute } from '@tanstack/react-router'
import { RequestScreen } from '@/features/payouts/request-screen'

export const Route = createFileRoute('/_app/payouts/new')({ component: RequestScreen })
