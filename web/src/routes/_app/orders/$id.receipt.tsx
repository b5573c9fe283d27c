import { createFileRoute } from '@tanstack/react-router'
import { ReceiptScreen } from '@/features/orders/receipt-screen'

export const Route = createFileRoute('/_app/orders/$id/receipt')({ component: Receipt })

function Receipt() {
  return <ReceiptScreen id={Route.useParams().id} />
}
