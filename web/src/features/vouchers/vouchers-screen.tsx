import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Plus, Ticket } from 'lucide-react'
import type { RedeemedVoucher } from '@/api/types.gen'
import { MoreButton } from '@/components/form/more-button'
import { Page } from '@/components/layout/page'
import { CryptoAmount, Pair, Pairs } from '@/components/money/money'
import { Failed, LoadingRows, NothingYet } from '@/components/states/states'
import { StatusBadge } from '@/components/status/badge'
import { Time } from '@/components/status/time'
import { buttonVariants } from '@/components/ui/button-variants'
import { Card } from '@/components/ui/card'
import { rowsOf } from '@/lib/paging'
import { vouchers as texts } from '@/messages/vouchers'
import { voucherLooks } from './looks'
import { vouchersQuery, worthOf } from './queries'

export function VouchersScreen() {
  const query = useInfiniteQuery(vouchersQuery)
  const rows = rowsOf(query.data?.pages)
  const redeem = (
    <Link to="/dashboard" hash="voucher-redemption" className={buttonVariants()}>
      <Plus aria-hidden />
      {texts.redeem}
    </Link>
  )
  return (
    <Page title={texts.title} lead={texts.lead} actions={redeem}>
      {query.error ? (
        <Failed
          className="mb-4"
          title={texts.fetchFailed}
          error={query.error}
          retry={() => void query.refetch()}
        />
      ) : null}
      {query.isPending ? <LoadingRows rows={3} /> : null}
      {query.isSuccess && rows.length === 0 ? (
        <Card>
          <NothingYet icon={Ticket} title={texts.empty} hint={texts.emptyHint} />
        </Card>
      ) : null}
      <ul className="space-y-4">
        {rows.map((voucher) => (
          <li key={voucher.id}>
            <VoucherRow voucher={voucher} />
          </li>
        ))}
      </ul>
      <MoreButton query={query} />
    </Page>
  )
}

function VoucherRow({ voucher }: { voucher: RedeemedVoucher }) {
  return (
    <Card>
      <div className="flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0">
          <h2 className="text-lg">
            <Link to="/vouchers/$id" params={{ id: voucher.id }} className="rounded-sm hover:underline">
              {worthOf(voucher)}
            </Link>
          </h2>
          <p className="text-sm text-muted-foreground">
            {voucher.reference} · <Time at={voucher.createdAt} />
          </p>
        </div>
        <StatusBadge look={voucherLooks[voucher.status]} />
      </div>
      <div className="mt-4 border-t pt-4">
        <Pairs>
          <Pair name={texts.pays} strong>
            <CryptoAmount amount={voucher.cryptoAmount} asset={voucher.cryptoType} />
          </Pair>
        </Pairs>
        {voucher.delayed ? <p className="mt-2 text-sm text-pending-text">{texts.delayedTitle}</p> : null}
      </div>
    </Card>
  )
}
