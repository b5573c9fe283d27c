import { createFileRoute } from '@tanstack/react-router'
import { VoucherBatchesScreen } from '@/features/admin/vouchers/voucher-batches-screen'

export const Route = createFileRoute('/admin/vouchers/batches/')({ component: VoucherBatchesScreen })
