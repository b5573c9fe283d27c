import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ArrowLeft, Layers } from 'lucide-react'
import type { AdminVoucher, AdminVoucherBatch } from '@/api/types.gen'
import { Usd } from '@/components/money/money'
import { Time } from '@/components/status/time'
import { buttonVariants } from '@/components/ui/button-variants'
import { count } from '@/lib/format'
import {
  adminVoucherStatus as labels,
  voucherBatches as texts,
  adminVouchers as vouchers,
} from '@/messages/admin-vouchers'
import { Fact, Facts } from '../shared/facts'
import { ListFrame } from '../shared/list-frame'
import { voucherBatchesQuery } from './queries'
import { batchName } from './voucher-card'

const states = Object.keys(labels) as AdminVoucher['status'][]

/** Every batch of vouchers, the newest first. */
export function VoucherBatchesScreen() {
  const list = useInfiniteQuery(voucherBatchesQuery)
  return (
    <ListFrame
      title={texts.title}
      list={list}
      counters={null}
      filters={null}
      aside={
        <Link to="/admin/vouchers" className={buttonVariants({ variant: 'outline', size: 'sm' })}>
          <ArrowLeft aria-hidden />
          {vouchers.title}
        </Link>
      }
      filtered={false}
      failed={texts.fetchFailed}
      empty={{ title: texts.empty, filteredHint: texts.emptyHint, firstHint: texts.emptyHint, icon: Layers }}
      card={(batch) => <BatchCard batch={batch} />}
    />
  )
}

function BatchCard({ batch }: { batch: AdminVoucherBatch }) {
  const name = batchName(batch.id)
  return (
    <article aria-label={texts.named(name)} className="rounded-lg border bg-card p-4">
      <div className="mb-3 flex flex-wrap items-baseline justify-between gap-3">
        <h2 className="text-base">{texts.vouchers(batch.total)}</h2>
        <span className="font-mono text-xs text-muted-foreground">{name}</span>
      </div>
      <Facts>
        <Fact name={texts.made}>{batch.createdBy}</Fact>
        <Fact name={texts.madeAt}>
          <Time at={batch.createdAt} />
        </Fact>
        {states
          .filter((state) => (batch.byStatus[state] ?? 0) > 0)
          .map((state) => (
            <Fact key={state} name={labels[state]}>
              {count(batch.byStatus[state])} · <Usd amount={batch.values[state]} />
            </Fact>
          ))}
      </Facts>
      {batch.askedBy ? <p className="mt-3 text-sm text-pending-text">{texts.asked(batch.askedBy)}</p> : null}
      <Link
        to="/admin/vouchers/batches/$id"
        params={{ id: batch.id }}
        data-open
        aria-label={texts.openRow(name)}
        className={buttonVariants({ variant: 'outline', size: 'sm', className: 'mt-4' })}
      >
        {texts.open}
      </Link>
    </article>
  )
}
