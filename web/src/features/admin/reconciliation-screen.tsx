import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { CheckCheck } from 'lucide-react'
import type { HolderReconciled } from '@/api/types.gen'
import { Failed } from '@/components/states/states'
import { StatusBadge } from '@/components/status/badge'
import { Time } from '@/components/status/time'
import { Button } from '@/components/ui/button'
import { messageOf } from '@/lib/http'
import { useSignedInUser } from '@/lib/session'
import { toast } from '@/lib/toast'
import { adminReconciliation as texts } from '@/messages/admin-reconciliation'
import { Chips, FilterChips } from './chips'
import { type BreakFilter, breakHolders, breakViews } from './filters'
import { ListFrame } from './list-frame'
import { BreakCard } from './reconciliation-card'
import { breaksQuery, compareNow, reconciliationKey, reconciliationQuery } from './reconciliation-queries'

interface ReconciliationScreenProps {
  filter: BreakFilter
  onFilter: (filter: BreakFilter) => void
}

/** How the providers' statements and the ledger stand, and every effect on which they do not agree. */
export function ReconciliationScreen({ filter, onFilter }: ReconciliationScreenProps) {
  const list = useInfiniteQuery(breaksQuery(filter))
  const stands = useQuery(reconciliationQuery)
  const view = filter.view ?? 'open'
  const holders = stands.data?.holders ?? []
  const inView = ({ open, agreed, booked }: HolderReconciled) => (view === 'open' ? open : agreed + booked)
  const sum = (of: readonly HolderReconciled[]) =>
    stands.data ? of.reduce((all, one) => all + inView(one), 0) : undefined
  return (
    <ListFrame
      title={texts.title}
      lead={texts.lead}
      list={list}
      summary={stands}
      counters={
        <>
          {stands.error ? (
            <Failed
              className="mb-4"
              title={texts.standsFailed}
              error={stands.error}
              retry={() => void stands.refetch()}
            />
          ) : null}
          <ul className="grid grid-cols-1 gap-3 lg:grid-cols-3">
            {holders.map((holder) => (
              <li key={holder.holder}>
                <Stands holder={holder} />
              </li>
            ))}
          </ul>
          <CompareNow comparedAt={stands.data?.comparedAt} />
        </>
      }
      filters={
        <>
          <Chips
            legend={texts.view}
            value={view}
            onChange={(chosen) => onFilter({ ...filter, view: chosen === 'open' ? undefined : chosen })}
            chips={breakViews.map((value) => ({ value, label: texts.views[value], count: null }))}
          />
          <FilterChips
            legend={texts.holder}
            value={filter.holder}
            all={{ label: texts.holders.all, count: sum(holders) }}
            choices={breakHolders}
            labels={texts.holders}
            counts={(one) => sum(holders.filter(({ holder }) => holder === one))}
            onChoose={(holder) => onFilter({ ...filter, holder })}
          />
        </>
      }
      filtered={filter.holder !== undefined}
      failed={texts.fetchFailed}
      empty={{
        title: view === 'open' ? texts.empty : texts.emptyClosed,
        filteredHint: texts.emptyFiltered,
        firstHint: texts.emptyHint,
        icon: CheckCheck,
      }}
      card={(found) => <BreakCard found={found} />}
    />
  )
}

/** How one holder's statement stands. */
function Stands({ holder }: { holder: HolderReconciled }) {
  const name = texts.holders[holder.holder]
  return (
    <section aria-label={name} className="h-full rounded-lg border bg-card p-4">
      <div className="mb-2 flex items-start justify-between gap-3">
        <h2 className="text-base">{name}</h2>
        <StatusBadge
          look={
            holder.open > 0
              ? { label: texts.apart(holder.open), tone: 'danger' }
              : holder.readTo
                ? { label: texts.agrees, tone: 'success' }
                : { label: texts.neverRead, tone: 'neutral' }
          }
        />
      </div>
      <p className="text-sm">
        {holder.readTo ? (
          <>
            {texts.readTo} <Time at={holder.readTo} />
          </>
        ) : (
          texts.neverRead
        )}
      </p>
      <p className="text-xs text-muted-foreground">
        {holder.oldest ? (
          <>
            {texts.oldest} <Time at={holder.oldest} /> ·{' '}
          </>
        ) : null}
        {holder.unsettled > 0 ? `${texts.unsettled(holder.unsettled)} · ` : ''}
        {texts.ended(holder.agreed, holder.booked)}
      </p>
    </section>
  )
}

/** When was last compared, and the way to have it done now. */
function CompareNow({ comparedAt }: { comparedAt: string | null | undefined }) {
  const client = useQueryClient()
  const { permissions } = useSignedInUser()
  const compare = useMutation({
    mutationFn: compareNow,
    onSuccess: () => toast({ title: texts.started }),
    onError: (error) =>
      toast({
        title: texts.runFailed,
        description: messageOf(error, texts.failedText),
        variant: 'destructive',
      }),
    onSettled: () => void client.invalidateQueries({ queryKey: reconciliationKey }),
  })
  return (
    <p className="mt-4 flex flex-wrap items-center gap-3 text-sm">
      <span>
        {texts.compared} {comparedAt ? <Time at={comparedAt} /> : texts.never}
      </span>
      {permissions.includes('decide_payments') ? (
        <Button variant="outline" size="sm" disabled={compare.isPending} onClick={() => compare.mutate()}>
          {compare.isPending ? texts.running : texts.run}
        </Button>
      ) : null}
    </p>
  )
}
