import { createFileRoute } from '@tanstack/react-router'
import { VoucherScreen } from '@/features/vouchers/voucher-screen'

export const Route = createFileRoute('/_app/vouchers/$id')({ component: VoucherRoute })

function VoucherRoute() {
  return <VoucherScreen id={Route.useParams().id} />
}
