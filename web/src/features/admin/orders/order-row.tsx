import { Link } from '@tanstack/react-router'
import type { AdminOrder } from '@/api/types.gen'
import { Copyable } from '@/components/form/copyable'
import { Time } from '@/components/status/time'
import { crypto, MISSING, shortened, spaced } from '@/lib/format'
import { adminOrders as texts } from '@/messages/admin-order'
import { queue } from '@/messages/admin-queue'
import { methodLabels } from '@/messages/common'
import { Age, CustomerLink, Id, RiskScore, rowLink } from '../shared/queue-cells'
import type { Column } from '../shared/queue-table'
import type { AdminOrderFilter } from './filters'
import { OrderCost, Standing } from './order-standing'

/** What an order shows as a dense row. */
export const orderColumns = (filter: AdminOrderFilter): readonly Column<AdminOrder>[] => [
  {
    key: 'reference',
    name: queue.reference,
    cell: ({ id, reference }) => (
      <Link
        to="/admin/orders"
        search={{ ...filter, open: id }}
        resetScroll={false}
        data-open
        className={rowLink}
      >
        {reference}
      </Link>
    ),
  },
  {
    key: 'customer',
    name: queue.customer,
    cell: ({ userId, customerName, country }) => (
      <CustomerLink id={userId} name={customerName} country={country} />
    ),
  },
  {
    key: 'asset',
    name: queue.amount,
    from: 'xl',
    numeric: true,
    cell: ({ amountAsset, asset }) => `${crypto(amountAsset)} ${asset}`,
  },
  {
    key: 'total',
    name: texts.total,
    numeric: true,
    cell: (order) => <OrderCost order={order} />,
  },
  {
    key: 'method',
    name: texts.method,
    from: 'xl',
    cell: ({ paymentMethod }) => methodLabels[paymentMethod] ?? spaced(paymentMethod),
  },
  {
    key: 'age',
    name: queue.age,
    numeric: true,
    cell: (order) => (
      <Age
        since={order.attention?.since ?? order.createdAt}
        waits={Boolean(order.attention) || order.status === 'payment_approved'}
      />
    ),
  },
  { key: 'risk', name: queue.risk, numeric: true, cell: ({ risk }) => <RiskScore risk={risk} /> },
  { key: 'status', name: queue.status, cell: (order) => <Standing order={order} /> },
  { key: 'created', name: texts.created, from: '2xl', cell: ({ createdAt }) => <Time at={createdAt} /> },
  {
    key: 'destination',
    name: texts.destination,
    from: '2xl',
    cell: ({ destAddress }) => (
      <Copyable text={destAddress} shown={shortened(destAddress)} what={texts.destination} />
    ),
  },
  {
    key: 'exchange',
    name: texts.exchangeOrder,
    from: 'chosen',
    cell: ({ krakenOrderId }) =>
      krakenOrderId ? <Id text={krakenOrderId} what={texts.exchangeOrder} /> : texts.notYet,
  },
  {
    key: 'transfer',
    name: texts.transfer,
    from: 'chosen',
    cell: ({ bitgoTransferId }) => <Id text={bitgoTransferId} what={texts.transfer} />,
  },
  { key: 'channel', name: texts.channel, from: 'chosen', cell: ({ channel }) => channel.toUpperCase() },
  {
    key: 'retries',
    name: queue.retries,
    from: 'chosen',
    numeric: true,
    cell: ({ metadata }) => metadata.retryCount || MISSING,
  },
]
