import { Link } from '@tanstack/react-router'
import { ExternalLink } from 'lucide-react'
import type { ReconciliationBreak } from '@/api/types.gen'
import { Copyable } from '@/components/form/copyable'
import { StatusBadge } from '@/components/status/badge'
import type { StatusLook } from '@/components/status/status'
import { Time } from '@/components/status/time'
import { figure } from '@/lib/format'
import { breakCauses, effectKinds, adminReconciliation as texts } from '@/messages/admin-reconciliation'
import { accountName } from '../shared/account-name'
import { Fact, Facts } from '../shared/facts'
import { ObjectLink } from '../shared/object-link'
import { rowActs } from '../shared/queue-cells'
import { BreakActions } from './reconciliation-decision'

/** How a break stands. */
export function breakLook(found: ReconciliationBreak): StatusLook {
  if (found.outcome === 'agreed') return { label: texts.agreed, tone: 'neutral', ended: true }
  if (found.outcome === 'ended') return { label: texts.endedBy, tone: 'neutral', ended: true }
  if (found.outcome === 'booked') return { label: texts.bookedBy, tone: 'success' }
  return found.wanted ? { label: texts.waits, tone: 'pending' } : { label: texts.open, tone: 'danger' }
}

/** One break: both sides, its probable cause, and the possible acts. */
export function BreakCard({ found }: { found: ReconciliationBreak }) {
  const kind = effectKinds[found.kind] ?? found.kind
  return (
    <article aria-label={`${kind} ${found.subject}`} className="rounded-lg border bg-card p-4">
      <div className="mb-3 flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0">
          <h2 className="text-base">
            <Link
              to="/admin/reconciliation/$id"
              params={{ id: found.id }}
              className="rounded-sm underline-offset-4 hover:underline"
            >
              {texts.holders[found.holder]} · {kind}
            </Link>
          </h2>
          <p className="text-xs text-muted-foreground">
            {texts.happened} <Time at={found.lastAt} /> · {texts.found} <Time at={found.createdAt} />
          </p>
        </div>
        <StatusBadge look={breakLook(found)} />
      </div>
      <BreakSums found={found} />
      <BreakFacts found={found} />
      <BreakWanted found={found} />
      {found.actions.length > 0 ? (
        <div className={rowActs}>
          <BreakActions found={found} />
        </div>
      ) : null}
    </article>
  )
}

/** Both sides, their difference, and its most likely cause. */
export function BreakSums({ found }: { found: ReconciliationBreak }) {
  const { currency } = found
  return (
    <>
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
      {found.opposite ? (
        <p className="mb-3 rounded-md border p-3 text-sm">
          {texts.opposite}{' '}
          <Link
            to="/admin/reconciliation/$id"
            params={{ id: found.opposite }}
            className="rounded-sm text-primary hover:underline"
          >
            {texts.oppositeLink}
          </Link>
        </p>
      ) : null}
    </>
  )
}

/** The proposals that wait for a second admin. */
export function BreakWanted({ found: { wanted } }: { found: ReconciliationBreak }) {
  if (!wanted) return null
  return (
    <p className="mt-3 text-sm">
      {texts.wanted(wanted.by, accountName(wanted.account))} <q>{wanted.reason}</q>
    </p>
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

/** What it is, what it is about, and how it ended. */
export function BreakFacts({ found }: { found: ReconciliationBreak }) {
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
      {found.account ? <Fact name={texts.to}>{accountName(found.account)}</Fact> : null}
      {found.reason ? (
        <Fact name={texts.reasonGiven} wide>
          {found.reason}
        </Fact>
      ) : null}
    </Facts>
  )
}
