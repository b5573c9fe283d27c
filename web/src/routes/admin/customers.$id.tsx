import { createFileRoute } from '@tanstack/react-router'
import { CustomerScreen } from '@/features/admin/customers/customer-screen'

export const Route = createFileRoute('/admin/customers/$id')({ component: Customer })

function Customer() {
  return <CustomerScreen id={Route.useParams().id} />
}
