import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ArrowLeft, Printer } from 'lucide-react'
import type { OrderReceipt } from '@/api/types.gen'
import { NotFound } from '@/components/layout/not-found'
import { Page } from '@/components/layout/page'
import { CryptoAmount, Pair, Pairs, Usd } from '@/components/money/money'
import { Failed, LoadingRows } from '@/components/states/states'
import { lookOfOrder } from '@/components/status/status'
import { Time } from '@/components/status/time'
import { Button } from '@/components/ui/button'
import { buttonVariants } from '@/components/ui/button-variants'
import { Card } from '@/components/ui/card'
import { cardName, usd } from '@/lib/format'
import { HttpError } from '@/lib/http'
import { compare } from '@/lib/money'
import { useConfig } from '@/lib/session'
import { buy } from '@/messages/buy'
import { methodLabels, networkNames } from '@/messages/common'
import { orders } from '@/messages/orders'
import { receiptQuery } from './queries'

/** The receipt of an order, for paper: header and footer are not printed. */
export function ReceiptScreen({ id }: { id: string }) {
  const query = useQuery(receiptQuery(id))
  if (query.error instanceof HttpError && query.error.status === 404) return <NotFound />
  return (
    <Page
      title={query.data && !query.data.paidAt ? orders.summary : orders.receiptTitle}
      actions={
        <div className="flex gap-2 print:hidden">
          <Link to="/orders/$id" params={{ id }} className={buttonVariants({ variant: 'ghost', size: 'sm' })}>
            <ArrowLeft aria-hidden />
            {orders.toOrder}
          </Link>
          <Button variant="outline" size="sm" onClick={() => window.print()}>
            <Printer aria-hidden />
            {orders.print}
          </Button>
        </div>
      }
    >
      {query.error ? (
        <Failed title={orders.fetchFailed} error={query.error} retry={() => void query.refetch()} />
      ) : null}
      {query.isPending ? <LoadingRows rows={2} /> : null}
      {query.data ? <Receipt receipt={query.data} /> : null}
    </Page>
  )
}

function Receipt({ receipt }: { receipt: OrderReceipt }) {
  const { imprint } = useConfig()
  return (
    <Card className="print:border-0 print:bg-transparent print:p-0">
      <div className="flex flex-wrap justify-between gap-4">
        <div>
          <p className="text-lg font-semibold">{receipt.brand}</p>
          <p className="font-mono text-sm">{receipt.reference}</p>
        </div>
        <div className="text-sm md:text-right">
          <p className="text-muted-foreground">{orders.receiptFor}</p>
          <p>
            <bdi>{receipt.customerName}</bdi>
          </p>
          <p>{receipt.customerEmail}</p>
        </div>
      </div>
      <div className="mt-6 grid gap-x-12 gap-y-6 border-t pt-4 lg:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
        <Money receipt={receipt} />
        <Facts receipt={receipt} />
      </div>
      {imprint ? <p className="mt-6 border-t pt-4 text-xs text-muted-foreground">{imprint}</p> : null}
    </Card>
  )
}

function Money({ receipt }: { receipt: OrderReceipt }) {
  return (
    <Pairs>
      <Pair name={buy.rows.amount}>
        <CryptoAmount amount={receipt.amountAsset} asset={receipt.asset} />
      </Pair>
      <Pair name={orders.unitPrice(receipt.asset)}>
        <Usd amount={receipt.unitPrice} />
      </Pair>
      <Pair name={buy.rows.basePrice}>
        <Usd amount={receipt.basePrice} />
      </Pair>
      <Pair name={buy.rows.paymentFee}>
        <Usd amount={receipt.paymentMethodFee} />
      </Pair>
      {compare(receipt.volumeDiscount, '0') > 0 ? (
        <Pair name={buy.rows.volumeDiscount}>−{usd(receipt.volumeDiscount)}</Pair>
      ) : null}
      <Pair name={orders.total} strong>
        {usd(receipt.total)} {receipt.currency}
      </Pair>
    </Pairs>
  )
}

function Facts({ receipt }: { receipt: OrderReceipt }) {
  const look = lookOfOrder({ ...receipt, metadata: receipt })
  const card = cardName(receipt.cardBrand, receipt.cardLast4)
  return (
    <Pairs className="max-lg:border-t max-lg:pt-4">
      <Pair name={orders.status}>{look.label}</Pair>
      <Pair name={orders.method}>
        {methodLabels[receipt.paymentMethod] ?? receipt.paymentMethod}
        {card ? ` · ${card}` : ''}
      </Pair>
      <Pair name={orders.created}>
        <Time at={receipt.createdAt} long />
      </Pair>
      {receipt.paidAt ? (
        <Pair name={orders.paidAt}>
          <Time at={receipt.paidAt} long />
        </Pair>
      ) : null}
      {receipt.sentAt ? (
        <Pair name={orders.sentAt}>
          <Time at={receipt.sentAt} long />
        </Pair>
      ) : null}
      <Pair name={orders.destination}>
        <code className="block font-mono text-dense text-balance break-all">{receipt.destAddress}</code>
        <span className="block text-muted-foreground">
          {networkNames[receipt.network] ?? receipt.network}
        </span>
      </Pair>
      {receipt.txid ? (
        <Pair name={orders.txid}>
          <code className="block font-mono text-dense text-balance break-all">{receipt.txid}</code>
        </Pair>
      ) : null}
      <Pair name={orders.orderId}>
        <code className="block font-mono text-dense text-balance break-all">{receipt.orderId}</code>
      </Pair>
    </Pairs>
  )
}
