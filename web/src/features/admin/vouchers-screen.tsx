import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { Ticket } from 'lucide-react'
import { useState } from 'react'
import type { AdminVoucher, VouchersSummary } from '@/api/types.gen'
import { SearchBox } from '@/components/form/search-box'
import { CryptoAmount, Usd } from '@/components/money/money'
import { StatusBadge } from '@/components/status/badge'
import type { StatusLook } from '@/components/status/status'
import { Time } from '@/components/status/time'
import { Button } from '@/components/ui/button'
import { count, day, MISSING } from '@/lib/format'
import { messageOf } from '@/lib/http'
import { useSignedInUser } from '@/lib/session'
import { adminVoucherStatus as labels, adminVouchers as texts } from '@/messages/admin-vouchers'
import { worthOf } from '../vouchers/queries'
import { Chips } from './chips'
import { DecisionDialog } from './decision-dialog'
import { Fact, Facts } from './facts'
import { type VoucherFilter, voucherStates } from './filters'
import { Counters, ListFrame } from './list-frame'
import { useDecision } from './use-decision'
import { VoucherGenerate } from './voucher-generate'
import {
  adminVouchersQuery,
  type VoucherAction,
  voucherDecisions,
  vouchersSummaryQuery,
} from './voucher-queries'
import { WorkflowLink } from './workflow-link'

const looks: Record<AdminVoucher['status'], StatusLook> = {
  awaiting_approval: { label: labels.awaiting_approval, tone: 'pending' },
  active: { label: labels.active, tone: 'info' },
  redeemed: { label: labels.redeemed, tone: 'progress' },
  paid: { label: labels.paid, tone: 'success' },
  voided: { label: labels.voided, tone: 'neutral', ended: true },
  expired: { label: labels.expired, tone: 'neutral', ended: true },
}

interface VouchersScreenProps {
  filter: VoucherFilter
  onFilter: (filter: VoucherFilter) => void
}

export function AdminVouchersScreen({ filter, onFilter }: VouchersScreenProps) {
  const list = useInfiniteQuery(adminVouchersQuery(filter))
  const summary = useQuery(vouchersSummaryQuery(filter))
  const mayGenerate = useSignedInUser().permissions.includes('configure')
  return (
    <ListFrame
      title={texts.title}
      list={list}
      onRefresh={() => {
        void list.refetch()
        void summary.refetch()
      }}
      counters={
        <>
          <Counters figures={figures(summary.data)} wide={5} />
          {mayGenerate ? <VoucherGenerate /> : null}
        </>
      }
      filters={
        <>
          <Chips
            legend={texts.statusFilter}
            value={filter.status ?? 'all'}
            onChange={(status) => onFilter({ ...filter, status: status === 'all' ? undefined : status })}
            chips={[
              { value: 'all', label: texts.all, count: summary.data?.total },
              ...voucherStates.map((status) => ({
                value: status,
                label: status === 'waiting' ? texts.stats.waiting : labels[status],
                count: status === 'waiting' ? summary.data?.waiting : summary.data?.byStatus[status],
              })),
            ]}
          />
          <SearchBox
            id="voucher-search"
            label={texts.searchLabel}
            placeholder={texts.search}
            value={filter.q ?? ''}
            onChange={(q) => onFilter({ ...filter, q: q || undefined })}
          />
        </>
      }
      filtered={Boolean(filter.status || filter.q)}
      failed={texts.fetchFailed}
      empty={{
        title: texts.empty,
        filteredHint: texts.emptyFiltered,
        firstHint: texts.emptyHint,
        icon: Ticket,
      }}
      card={(voucher) => <VoucherCard voucher={voucher} />}
    />
  )
}

/** SPEC §2's statistics, computed. */
function figures(summary: VouchersSummary | undefined) {
  const { stats } = texts
  return [
    [stats.today, count(summary?.redeemedToday)],
    [stats.value, <Usd key="value" amount={summary?.totalValue} />],
    [stats.outstanding, <Usd key="outstanding" amount={summary?.outstandingValue} />],
    [stats.rate, summary?.successRate ? `${summary.successRate} %` : MISSING],
    [stats.waiting, count(summary?.waiting)],
  ] as const
}

function VoucherCard({ voucher }: { voucher: AdminVoucher }) {
  const [action, setAction] = useState<VoucherAction>()
  const { redemption } = voucher
  return (
    <article aria-label={voucher.reference} className="rounded-lg border bg-card p-4">
      <div className="mb-3 flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0">
          <h2 className="text-base">{worthOf(voucher)}</h2>
          <p className="font-mono text-xs text-muted-foreground">{voucher.reference}</p>
        </div>
        <StatusBadge look={looks[voucher.status]} />
      </div>
      <Facts>
        <Fact name={texts.by}>{voucher.createdBy}</Fact>
        {voucher.approvedBy ? <Fact name={texts.approvedBy}>{voucher.approvedBy}</Fact> : null}
        <Fact name={texts.madeAt}>
          <Time at={voucher.createdAt} />
        </Fact>
        <Fact name={texts.expires}>{day(voucher.expiresAt)}</Fact>
        {voucher.endReason ? <Fact name={texts.reasonGiven}>{voucher.endReason}</Fact> : null}
        {redemption ? (
          <>
            <Fact name={texts.redeemer}>{redemption.customer}</Fact>
            <Fact name={texts.pays}>
              <CryptoAmount amount={redemption.cryptoAmount} asset={redemption.cryptoType} />
            </Fact>
            {redemption.attention ? <Fact name={texts.waits}>{redemption.attention}</Fact> : null}
            {redemption.lastError ? <Fact name={texts.lastError}>{redemption.lastError}</Fact> : null}
          </>
        ) : null}
      </Facts>
      <div className="mt-4 flex flex-wrap items-center gap-3">
        {(voucher.actions as VoucherAction[]).map((name) => (
          <Button key={name} variant="outline" size="sm" onClick={() => setAction(name)}>
            {texts.actions[name]}
            <span className="sr-only"> {voucher.reference}</span>
          </Button>
        ))}
        {redemption?.workflowUrl ? <WorkflowLink url={redemption.workflowUrl} /> : null}
        {voucher.decision ? <span className="text-sm text-muted-foreground">{texts.underWay}</span> : null}
      </div>
      {action ? <Decide voucher={voucher} action={action} onClose={() => setAction(undefined)} /> : null}
    </article>
  )
}

interface DecideProps {
  voucher: AdminVoucher
  action: VoucherAction
  onClose: () => void
}

function Decide({ voucher, action, onClose }: DecideProps) {
  const client = useQueryClient()
  const decide = useDecision(
    (reason: string) => voucherDecisions[action](voucher, reason),
    { done: texts.done[action], failed: texts.decisionFailed, failedText: texts.decisionFailedText },
    () => {
      void client.invalidateQueries({ queryKey: ['admin-vouchers'] })
      onClose()
    },
  )
  const about = `${voucher.reference} · ${worthOf(voucher)}${voucher.redemption ? ` · ${voucher.redemption.customer}` : ''}. `
  return (
    <DecisionDialog
      title={texts.dialogs[action].title}
      text={about + texts.dialogs[action].text}
      confirm={texts.actions[action]}
      destructive={action === 'void'}
      {...(action === 'approve'
        ? {}
        : { reason: { label: texts.reason, placeholder: texts.reasonPlaceholder } })}
      pending={decide.isPending}
      error={
        decide.error
          ? { title: texts.decisionFailed, text: messageOf(decide.error, texts.decisionFailedText) }
          : undefined
      }
      onConfirm={(reason) => decide.mutate(reason)}
      onClose={onClose}
    />
  )
}
