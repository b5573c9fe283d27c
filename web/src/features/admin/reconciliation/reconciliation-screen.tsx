import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CheckCheck } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { HolderReconciled, ReconciliationBreak } from '@/api/types.gen'
import { Failed } from '@/components/states/states'
import { StatusBadge } from '@/components/status/badge'
import { Time } from '@/components/status/time'
import { Button } from '@/components/ui/button'
import { figure } from '@/lib/format'
import { messageOf } from '@/lib/http'
import { rowsOf } from '@/lib/paging'
import { useSignedInUser } from '@/lib/session'
import { toast } from '@/lib/toast'
import { queue } from '@/messages/admin-queue'
import { breakCauses, effectKinds, adminReconciliation as texts } from '@/messages/admin-reconciliation'
import { Chips, FilterChips } from '../shared/chips'
import { ListFrame } from '../shared/list-frame'
import { Age, Id, Long, RowStatus } from '../shared/queue-cells'
import type { Column } from '../shared/queue-table'
import { useRowWork } from '../shared/row-work'
import { differingText } from './differing'
import { type BreakFilter, breakHolders, breakViews } from './filters'
import { breaksQuery, compareNow, reconciliationKey, reconciliationQuery } from './queries'
import { BreakCard, breakLook } from './reconciliation-card'
import { BreakDecision, breakButtons } from './reconciliation-decision'

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
  const shown = holders.filter(({ holder }) => !filter.holder || holder === filter.holder)
  const differing = view === 'open' ? differingText(shown) : ''
  const work = useRowWork({
    rows: rowsOf(list.data?.pages),
    nameOf,
    buttons: breakButtons,
    may: ({ actions }) => actions,
    links: ({ url, holder }) => (url ? [{ label: texts.holders[holder], href: url }] : []),
    dialog: (found, action, close) =>
      action === 'details' ? null : <BreakDecision found={found} action={action} onClose={close} />,
  })
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
        title: view === 'open' ? differing || texts.empty : texts.emptyClosed,
        filteredHint: differing ? texts.differingHint : texts.emptyFiltered,
        firstHint: differing ? texts.differingHint : texts.emptyHint,
        icon: CheckCheck,
      }}
      card={(found) => <BreakCard found={found} />}
      dense={{ columns, nameOf }}
      work={work}
    />
  )
}

const kindOf = ({ kind }: ReconciliationBreak) => effectKinds[kind] ?? kind
const nameOf = (found: ReconciliationBreak) => `${kindOf(found)} ${found.subject}`

const columns: readonly Column<ReconciliationBreak>[] = [
  {
    key: 'effect',
    name: texts.one,
    cell: (found) => (
      <Link
        to="/admin/reconciliation/$id"
        params={{ id: found.id }}
        data-open
        className="rounded-sm font-medium underline-offset-4 hover:underline"
      >
        {texts.holders[found.holder]} · {kindOf(found)}
      </Link>
    ),
  },
  {
    key: 'difference',
    name: texts.difference,
    numeric: true,
    cell: ({ difference, currency }) => (
      <span className="font-medium">
        {figure(difference)} {currency}
      </span>
    ),
  },
  {
    key: 'cause',
    name: texts.cause,
    cell: ({ cause, opposite }) => <Long text={opposite ? texts.opposite : breakCauses[cause]} />,
  },
  { key: 'told', name: texts.theySay, from: 'xl', numeric: true, cell: ({ told }) => figure(told) },
  { key: 'booked', name: texts.booked, from: 'xl', numeric: true, cell: ({ booked }) => figure(booked) },
  {
    key: 'subject',
    name: texts.effect,
    from: '2xl',
    cell: ({ subject }) => <Id text={subject} what={texts.effect} />,
  },
  {
    key: 'age',
    name: queue.age,
    numeric: true,
    cell: ({ createdAt, outcome }) => <Age since={createdAt} waits={!outcome} />,
  },
  { key: 'status', name: queue.status, cell: (found) => <RowStatus look={breakLook(found)} /> },
]

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
              : holder.differing > 0
                ? { label: texts.differing(holder.differing), tone: 'pending' }
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
        {differingText([holder]) ? `${differingText([holder])} · ` : ''}
        {holder.unsettled > 0 ? `${texts.unsettled(holder.unsettled)} · ` : ''}
        {texts.ended(holder.agreed, holder.booked)}
      </p>
    </section>
  )
}

const LOOK_MS = 2_000

/** When was last compared, and the way to have it done now. */
function CompareNow({ comparedAt }: { comparedAt: string | null | undefined }) {
  const client = useQueryClient()
  const { permissions } = useSignedInUser()
  // The comparison runs in the background: it is over when its time is another one.
  const [asked, setAsked] = useState<string | null>()
  const running = asked !== undefined && asked === (comparedAt ?? null)
  useEffect(() => {
    if (!running) return
    const look = setInterval(() => void client.invalidateQueries({ queryKey: reconciliationKey }), LOOK_MS)
    return () => clearInterval(look)
  }, [running, client])
  const compare = useMutation({
    mutationFn: compareNow,
    onSuccess: () => {
      setAsked(comparedAt ?? null)
      toast({ title: texts.started })
    },
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
        <Button
          variant="outline"
          size="sm"
          disabled={compare.isPending || running}
          onClick={() => compare.mutate()}
        >
          {compare.isPending || running ? texts.running : texts.run}
        </Button>
      ) : null}
    </p>
  )
}
