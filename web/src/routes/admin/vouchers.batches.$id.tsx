import { createFileRoute } from '@tanstack/react-router'
import { parseBatchFilter } from '@/features/admin/vouchers/filters'
import { VoucherBatchScreen } from '@/features/admin/vouchers/voucher-batch-screen'

export const Route = createFileRoute('/admin/vouchers/batches/$id')({
  validateSearch: parseBatchFilter,
  component: Batch,
})

function Batch() {
  const { id } = Route.useParams()
  const filter = Route.useSearch()
  const navigate = Route.useNavigate()
  return <VoucherBatchScreen id={id} filter={filter} onFilter={(search) => void navigate({ search })} />
}
