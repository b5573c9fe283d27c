import { createFileRoute } from '@tanstack/react-router'
import { parseFilter } from '@/features/orders/filter'
import { OrdersScreen } from '@/features/orders/orders-screen'

export const Route = createFileRoute('/_app/orders/')({ validateSearch: parseFilter, component: Orders })

function Orders() {
  const navigate = Route.useNavigate()
  return (
    <OrdersScreen
      filter={Route.useSearch()}
      onFilter={(search, replace) => void navigate({ search, replace })}
    />
  )
}
