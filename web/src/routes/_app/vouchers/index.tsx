import { createFileRoute } from '@tanstack/react-router'
import { VouchersScreen } from '@/features/vouchers/vouchers-screen'

export const Route = createFileRoute('/_app/vouchers/')({ component: VouchersScreen })
