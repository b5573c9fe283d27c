import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Plus, ShoppingBag } from 'lucide-react'
import { MoreButton } from '@/components/form/more-button'
import { SearchBox } from '@/components/form/search-box'
import { Page } from '@/components/layout/page'
import { Failed, LoadingRows, NothingFound, NothingYet } from '@/components/states/states'
import { stateLook } from '@/components/status/status'
import { Button } from '@/components/ui/button'
import { buttonVariants } from '@/components/ui/button-variants'
import { Card } from '@/components/ui/card'
import { Label, Select } from '@/components/ui/input'
import { rowsOf } from '@/lib/paging'
import { oneOf } from '@/lib/search'
import { orders } from '@/messages/orders'
import { isFiltered, type OrdersFilter, statusChoices } from './filter'
import { HoldNotice } from './hold-notice'
import { OrderCard } from './order-card'
import { ordersQuery } from './queries'
import { useActions, waitingFirst } from './use-actions'

interface OrdersScreenProps {
  filter: OrdersFilter
  /** Puts a filter into the address: `replace` while typing, so that Back skips the letters. */
  onFilter: (filter: OrdersFilter, replace: boolean) => void
}

export function OrdersScreen({ filter, onFilter }: OrdersScreenProps) {
  const filtered = isFiltered(filter)
  const { status, ...rest } = filter
  const query = useInfiniteQuery(
    ordersQuery(status === 'action' ? { ...rest, action: true } : { ...rest, status }),
  )
  const waiting = useActions()
  const rows = rowsOf(query.data?.pages)
  const shown = filtered || rows.length === 0 ? rows : waitingFirst(rows, waiting)
  return (
    <Page
      title={orders.title}
      actions={
        <Link to="/buy" className={buttonVariants()}>
          <Plus aria-hidden />
          {orders.newOrder}
        </Link>
      }
    >
      <HoldNotice className="mb-4" />
      {rows.length > 0 || filtered ? <Filters filter={filter} onFilter={onFilter} /> : null}
      {query.error ? (
        <Failed
          title={orders.fetchFailed}
          error={query.error}
          retry={() => void query.refetch()}
          className="mb-4"
        />
      ) : null}
      {query.isPending ? <LoadingRows rows={3} /> : null}
      {query.data && shown.length === 0 ? (
        <Card>{filtered ? <NoneFound clear={() => onFilter({}, false)} /> : <NoneYet />}</Card>
      ) : null}
      <ul className="space-y-3">
        {shown.map((order) => (
          <li key={order.id}>
            <OrderCard order={order} />
          </li>
        ))}
      </ul>
      <MoreButton query={query} />
    </Page>
  )
}

function NoneYet() {
  return (
    <NothingYet
      icon={ShoppingBag}
      title={orders.empty}
      hint={orders.emptyHint}
      action={
        <Link to="/buy" className={buttonVariants()}>
          {orders.buyNow}
        </Link>
      }
    />
  )
}

function NoneFound({ clear }: { clear: () => void }) {
  return (
    <NothingFound
      title={orders.none}
      hint={orders.noneHint}
      action={
        <Button variant="outline" onClick={clear}>
          {orders.clear}
        </Button>
      }
    />
  )
}

function Filters({ filter, onFilter }: OrdersScreenProps) {
  return (
    <div className="mb-4 grid grid-cols-[minmax(0,1fr)_7rem] gap-3 sm:grid-cols-[minmax(0,1fr)_12rem]">
      <SearchBox
        id="orders-search"
        label={orders.filter.search}
        placeholder={orders.filter.placeholder}
        value={filter.q ?? ''}
        onChange={(q) => onFilter({ ...filter, q: q || undefined }, true)}
      />
      <div className="space-y-1.5">
        <Label htmlFor="orders-status">{orders.filter.label}</Label>
        <Select
          id="orders-status"
          value={filter.status ?? 'all'}
          onChange={(event) =>
            onFilter({ ...filter, status: oneOf(statusChoices, event.target.value) }, false)
          }
        >
          <option value="all">{orders.filter.all}</option>
          {statusChoices.map((status) => (
            <option key={status} value={status}>
              {stateLook(status).label}
            </option>
          ))}
        </Select>
      </div>
    </div>
  )
}
