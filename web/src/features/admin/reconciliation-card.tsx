import { useQuery } from '@tanstack/react-query'
import { ExternalLink } from 'lucide-react'
import { useState } from 'react'
import type { BookedPosting, ReconciliationBreak, ToldLine } from '@/api/types.gen'
import { Copyable } from '@/components/form/copyable'
import { Failed, LoadingRows } from '@/components/states/states'
import { StatusBadge } from '@/components/status/badge'
import type { StatusLook } from '@/components/status/status'
import { Time } from '@/components/status/time'
import { figure, spaced } from '@/lib/format'
import { adminLedger } from '@/messages/admin-books'
import { breakCauses, effectKinds, adminReconciliation as texts } from '@/messages/admin-reconciliation'
import { Fact, Facts } from './facts'
import { ObjectLink } from './object-link'
import { BreakActions } from './reconciliation-decision'
import { breakQuery } from './reconciliation-queries'

function lookOf(found: ReconciliationBreak): StatusLook {
  if (found.outcome === 'agreed') return { label: texts.agreed, tone: 'neutral', ended: true }
  if (found.outcome === 'booked') return { label: texts.bookedBy, tone: 'success' }
  return found.wanted ? { label: texts.waits, tone: 'pending' } : { label: texts.open, tone: 'danger' }
}

/** One break: both sides, what it probably is, and what somebody can do. */
export function BreakCard({ found }: { found: ReconciliationBreak }) {
  const { currency } = found
  const kind = effectKinds[found.kind] ?? found.kind
  return (
    <article aria-label={`${kind} ${found.subject}`} className="rounded-lg border bg-card p-4">
      <div className="mb-3 flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0">
          <h2 className="text-base">
            {texts.holders[found.holder]} · {kind}
          </h2>
          <p className="text-xs text-muted-foreground">
            {texts.happened} <Time at={found.lastAt} /> · {texts.found} <Time at={found.createdAt} />
          </p>
        </div>
        <StatusBadge look={lookOf(found)} />
      </div>
      <dl className="mb-3 grid grid-cols-1 gap-3 rounded-md bg-muted p-3 tabular-nums sm:grid-cols-3">
        <Side name={texts.told(texts.holders[found.holder])} amount={found.told} currency={currency} />
        <Side name={texts.booked} amount={found.booked} currency={currency} />
        <Side
          name={found.difference.startsWith('-') ? texts.tooMuch : texts.missing}
          amount={found.difference.replace(/^-/, '')}
          currency={currency}
          strong
        />
      </dl>
      <h3 className="text-xs font-normal text-muted-foreground">{texts.cause}</h3>
      <p className="mb-3 text-sm">{breakCauses[found.cause]}</p>
      <BreakFacts found={found} />
      {found.wanted ? (
        <p className="mt-3 text-sm">
          {texts.wanted(found.wanted.by, adminLedger.accounts[found.wanted.account] ?? found.wanted.account)}{' '}
          <q>{found.wanted.reason}</q>
        </p>
      ) : null}
      <Sides found={found} />
      {found.actions.length > 0 ? (
        <div className="mt-4 flex flex-wrap items-center gap-3">
          <BreakActions found={found} />
        </div>
      ) : null}
    </article>
  )
}

interface SideProps {
  name: string
  amount: string
  currency: string
  strong?: boolean
}

function Side({ name, amount, currency, strong }: SideProps) {
  return (
    <div className="min-w-0 wrap-anywhere">
      <dt className="text-xs text-muted-foreground">{name}</dt>
      <dd className={strong ? 'font-semibold' : undefined}>
        {figure(amount)} {currency}
      </dd>
    </div>
  )
}

function BreakFacts({ found }: { found: ReconciliationBreak }) {
  return (
    <Facts>
      <Fact name={texts.effect} wide>
        <Copyable text={found.subject} what={texts.effect} />
        {found.url ? (
          <>
            {' '}
            <a
              href={found.url}
              target="_blank"
              rel="noreferrer"
              className="inline-flex items-center gap-1 rounded-sm text-primary hover:underline"
            >
              {texts.holders[found.holder]}
              <ExternalLink aria-hidden className="size-3.5" />
            </a>
          </>
        ) : null}
      </Fact>
      {found.objectId ? (
        <Fact name={texts.about}>
          <ObjectLink kind={found.objectKind} id={found.objectId}>
            {found.reference ?? found.objectId}
          </ObjectLink>
        </Fact>
      ) : null}
      {found.closedBy ? <Fact name={texts.closedBy}>{found.closedBy}</Fact> : null}
      {found.account ? (
        <Fact name={texts.to}>{adminLedger.accounts[found.account] ?? found.account}</Fact>
      ) : null}
      {found.reason ? (
        <Fact name={texts.reasonGiven} wide>
          {found.reason}
        </Fact>
      ) : null}
    </Facts>
  )
}

/** The lines behind the two sums, fetched when somebody looks. */
function Sides({ found }: { found: ReconciliationBreak }) {
  const [open, setOpen] = useState(false)
  return (
    <details className="mt-3 text-sm" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="w-fit cursor-pointer rounded-sm text-primary hover:underline">
        {texts.sides}
      </summary>
      {open ? <Lines found={found} /> : null}
    </details>
  )
}

function Lines({ found }: { found: ReconciliationBreak }) {
  const detail = useQuery(breakQuery(found.id))
  if (detail.error)
    return <Failed title={texts.sidesFailed} error={detail.error} retry={() => void detail.refetch()} />
  if (!detail.data) return <LoadingRows rows={2} />
  return (
    <div className="mt-2 grid gap-4 md:grid-cols-2">
      <List title={texts.told(texts.holders[found.holder])} rows={detail.data.toldLines.map(toldRow)} />
      <List title={texts.booked} rows={detail.data.bookedLines.map(bookedRow)} />
    </div>
  )
}

interface LineRow {
  id: string
  at: string
  what: string
  amount: string
}

const toldRow = ({ id, at, kind, state, amount }: ToldLine): LineRow => ({
  id,
  at,
  what: `${effectKinds[kind] ?? kind}, ${spaced(state).toLowerCase()}`,
  amount,
})

const bookedRow = ({ id, at, event, from, to, amount }: BookedPosting): LineRow => ({
  id: String(id),
  at,
  what: `${spaced(event)}: ${adminLedger.accounts[from] ?? from} → ${adminLedger.accounts[to] ?? to}`,
  amount,
})

function List({ title, rows }: { title: string; rows: readonly LineRow[] }) {
  return (
    <section aria-label={title}>
      <h3 className="text-xs font-normal text-muted-foreground">{title}</h3>
      {rows.length === 0 ? <p>{texts.noLines}</p> : null}
      <ul className="divide-y">
        {rows.map((row) => (
          <li key={row.id} className="grid grid-cols-[1fr_auto] gap-x-3 py-1.5">
            <span className="min-w-0 wrap-anywhere">{row.what}</span>
            <span className="text-right tabular-nums">{figure(row.amount)}</span>
            <span className="col-span-2 text-xs text-muted-foreground">
              <Time at={row.at} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
