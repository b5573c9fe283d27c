import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { CircleAlert } from 'lucide-react'
import type { AdminVoucher, AdminVoucherBatch } from '@/api/types.gen'
import { MoreButton } from '@/components/form/more-button'
import { Usd } from '@/components/money/money'
import { Failed, LoadingRows, Notice } from '@/components/states/states'
import { Time } from '@/components/status/time'
import { Card, CardTitle } from '@/components/ui/card'
import { count } from '@/lib/format'
import { rowsOf } from '@/lib/paging'
import { useSignedInUser } from '@/lib/session'
import {
  adminVoucherStatus as labels,
  voucherBatches as texts,
  adminVouchers as vouchers,
} from '@/messages/admin-vouchers'
import { FilterChips } from '../shared/chips'
import { Fact, Facts } from '../shared/facts'
import { BookLinks } from '../shared/object-link'
import { RecordFrame, RecordHead } from '../shared/record-frame'
import type { BatchFilter } from './filters'
import { voucherBatchQuery, vouchersOfBatchQuery } from './queries'
import { BatchButtons } from './voucher-batch-decision'
import { batchName, VoucherCard, voucherLooks } from './voucher-card'
import { VoucherExport } from './voucher-export'

interface BatchScreenProps {
  id: string
  filter: BatchFilter
  onFilter: (filter: BatchFilter) => void
}

const states = Object.keys(labels) as AdminVoucher['status'][]

/** One batch: who made, approved and voided it, how its vouchers stand, and each of them. */
export function VoucherBatchScreen({ id, filter, onFilter }: BatchScreenProps) {
  return (
    <RecordFrame query={useQuery(voucherBatchQuery(id))} title={texts.one} failed={texts.oneFailed}>
      {(batch) => <Loaded batch={batch} filter={filter} onFilter={onFilter} />}
    </RecordFrame>
  )
}

type LoadedProps = Omit<BatchScreenProps, 'id'> & { batch: AdminVoucherBatch }

function Loaded({ batch, filter, onFilter }: LoadedProps) {
  const mayExport = useSignedInUser().permissions.includes('configure')
  return (
    <>
      <RecordHead
        title={texts.vouchers(batch.total)}
        lead={
          <>
            <span className="font-mono">{texts.named(batchName(batch.id))}</span>
            <BookLinks id={batch.id} booked={false} />
          </>
        }
        look={voucherLooks[standingOf(batch)]}
        list={{ to: '/admin/vouchers/batches', title: texts.title }}
      />
      <div className="space-y-6">
        {batch.askedBy ? (
          <Notice tone="pending" icon={CircleAlert} title={texts.asked(batch.askedBy)}>
            {batch.askedWhy}
          </Notice>
        ) : null}
        <div className="flex flex-wrap gap-2 empty:hidden">
          <BatchButtons batch={batch} />
          {mayExport && (batch.byStatus.active ?? 0) > 0 ? <VoucherExport batch={batch.id} /> : null}
        </div>
        <div className="grid items-start gap-6 xl:grid-cols-2">
          <States batch={batch} />
          <Card>
            <CardTitle className="mb-4">{texts.one}</CardTitle>
            <Facts>
              <Fact name={texts.made}>{batch.createdBy}</Fact>
              <Fact name={texts.madeAt}>
                <Time at={batch.createdAt} />
              </Fact>
              {batch.purpose ? (
                <Fact name={texts.purpose} wide>
                  {batch.purpose}
                </Fact>
              ) : null}
              {batch.approvedBy ? (
                <>
                  <Fact name={texts.approved}>{batch.approvedBy}</Fact>
                  <Fact name={texts.approvedAt}>
                    <Time at={batch.approvedAt} />
                  </Fact>
                </>
              ) : null}
              {batch.voidedBy ? (
                <>
                  <Fact name={texts.voided}>{batch.voidedBy}</Fact>
                  <Fact name={texts.voidedAt}>
                    <Time at={batch.voidedAt} />
                  </Fact>
                  <Fact name={texts.reason} wide>
                    {batch.voidReason}
                  </Fact>
                </>
              ) : null}
              <Fact name="ID" wide>
                <code className="text-xs">{batch.id}</code>
              </Fact>
            </Facts>
          </Card>
        </div>
        <Vouchers batch={batch} filter={filter} onFilter={onFilter} />
      </div>
    </>
  )
}

/** How a batch stands: as the first of its vouchers that something can still happen to. */
function standingOf({ byStatus }: AdminVoucherBatch): AdminVoucher['status'] {
  return states.find((state) => (byStatus[state] ?? 0) > 0) ?? 'expired'
}

function States({ batch }: { batch: AdminVoucherBatch }) {
  return (
    <Card>
      <CardTitle className="mb-3">{texts.states}</CardTitle>
      <table className="w-full text-sm md:text-dense">
        <thead>
          <tr className="border-b text-left text-xs text-muted-foreground">
            <th className="py-1.5 font-normal">{texts.state}</th>
            <th className="py-1.5 text-right font-normal">{texts.number}</th>
            <th className="py-1.5 text-right font-normal">{texts.worth}</th>
          </tr>
        </thead>
        <tbody className="tabular-nums">
          {states.map((state) => (
            <tr key={state} className="border-b last:border-0">
              <td className="py-1.5">{labels[state]}</td>
              <td className="py-1.5 text-right">{count(batch.byStatus[state])}</td>
              <td className="py-1.5 text-right">
                <Usd amount={batch.values[state]} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  )
}

function Vouchers({ batch, filter, onFilter }: LoadedProps) {
  const list = useInfiniteQuery(vouchersOfBatchQuery(batch.id, filter))
  return (
    <section aria-label={texts.list} className="space-y-4">
      <h2 className="text-lg">{texts.list}</h2>
      <FilterChips
        legend={vouchers.statusFilter}
        value={filter.status === 'waiting' ? undefined : filter.status}
        all={{ label: texts.all, count: batch.total }}
        choices={states.filter((state) => (batch.byStatus[state] ?? 0) > 0)}
        labels={labels}
        counts={(state) => batch.byStatus[state]}
        onChoose={(status) => onFilter({ status })}
      />
      {list.error ? (
        <Failed title={vouchers.fetchFailed} error={list.error} retry={() => void list.refetch()} />
      ) : null}
      {list.isPending ? <LoadingRows rows={3} /> : null}
      {list.data && rowsOf(list.data.pages).length === 0 ? (
        <p className="text-sm text-muted-foreground">{vouchers.emptyFiltered}</p>
      ) : null}
      <ul className="grid grid-cols-1 gap-4 xl:grid-cols-2">
        {rowsOf(list.data?.pages).map((voucher) => (
          <li key={voucher.id}>
            <VoucherCard voucher={voucher} inBatch />
          </li>
        ))}
      </ul>
      <MoreButton query={list} />
    </section>
  )
}
