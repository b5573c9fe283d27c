import { createFileRoute } from '@tanstack/react-router'
import { parseLedgerMoment } from '@/features/admin/ledger/filters'
import { LedgerScreen } from '@/features/admin/ledger/ledger-screen'

export const Route = createFileRoute('/admin/ledger/')({
  validateSearch: parseLedgerMoment,
  component: Ledger,
})

function Ledger() {
  const moment = Route.useSearch()
  const navigate = Route.useNavigate()
  return <LedgerScreen moment={moment} onMoment={(search) => void navigate({ search })} />
}
