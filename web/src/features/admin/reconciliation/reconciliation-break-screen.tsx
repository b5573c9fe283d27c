import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { BookedPosting, BreakDetail, BreakEvent, ToldLine } from '@/api/types.gen'
import { Story } from '@/components/status/story'
import { Time } from '@/components/status/time'
import { Card, CardTitle } from '@/components/ui/card'
import { textLink } from '@/components/ui/text-link'
import { figure, spaced } from '@/lib/format'
import { effectKinds, adminReconciliation as texts } from '@/messages/admin-reconciliation'
import { accountName, debitAndCredit } from '../shared/account-name'
import { allowed, DecisionButtons } from '../shared/decision-buttons'
import { BookLinks, ObjectLink } from '../shared/object-link'
import { RecordFrame, RecordHead } from '../shared/record-frame'
import { stepTime } from '../shared/step-time'
import { breakQuery } from './queries'
import { BreakFacts, BreakSums, BreakWanted, breakLook } from './reconciliation-card'
import { BreakDecision, breakButtons } from './reconciliation-decision'

/** One break: both sides line by line, its probable cause, its history, and the possible decisions. */
export function BreakScreen({ id }: { id: string }) {
  return (
    <RecordFrame query={useQuery(breakQuery(id))} title={texts.one} failed={texts.oneFailed}>
      {(found) => <Loaded found={found} />}
    </RecordFrame>
  )
}

const kindOf = (kind: string) => effectKinds[kind] ?? kind

function Loaded({ found }: { found: BreakDetail }) {
  return (
    <>
      <RecordHead
        title={`${texts.holders[found.holder]} · ${kindOf(found.kind)}`}
        lead={
          <>
            {texts.happened} <Time at={found.lastAt} />
            {found.customerId ? (
              <>
                {' · '}
                <ObjectLink kind="user" id={found.customerId}>
                  {found.customerEmail}
                </ObjectLink>
              </>
            ) : null}
            <BookLinks id={found.id} booked={false} />
          </>
        }
        look={breakLook(found)}
        list={{ to: '/admin/reconciliation', title: texts.title }}
      />
      <div className="space-y-6">
        <DecisionButtons
          underWay={false}
          buttons={allowed(breakButtons, found.actions)}
          dialog={(action, close) => <BreakDecision found={found} action={action} onClose={close} />}
        />
        <div className="grid items-start gap-6 xl:grid-cols-2">
          <Card>
            <CardTitle className="mb-4">{texts.one}</CardTitle>
            <BreakSums found={found} />
            <BreakFacts found={found} />
            <BreakWanted found={found} />
          </Card>
          <Card>
            <CardTitle className="mb-4">{texts.story}</CardTitle>
            <Story
              timeOf={stepTime}
              events={found.story.map((event, id) => ({ ...event, id }))}
              tell={tell(found.currency)}
            />
          </Card>
        </div>
        <Card>
          <CardTitle className="mb-4">{texts.sides}</CardTitle>
          <div className="grid gap-6 md:grid-cols-2">
            <List
              title={texts.told(texts.holders[found.holder])}
              currency={found.currency}
              rows={found.toldLines.map(toldRow)}
            />
            <List title={texts.booked} currency={found.currency} rows={found.bookedLines.map(bookedRow)} />
          </div>
        </Card>
      </div>
    </>
  )
}

/** One step in a line: what, by whom, how much to which account, and why. */
function tell(currency: string) {
  return ({ kind, actor, amount, account, reason, other }: BreakEvent) => {
    const more = [actor, amount && `${figure(amount)} ${currency}`, account && accountName(account), reason]
    const said = [texts.events[kind], ...more.filter(Boolean)].join(' · ')
    if (!other) return said
    return (
      <Link to="/admin/reconciliation/$id" params={{ id: other }} className={textLink}>
        {said}
      </Link>
    )
  }
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
  what: `${kindOf(kind)}, ${spaced(state).toLowerCase()}`,
  amount,
})

const bookedRow = ({ id, at, event, amount, ...entry }: BookedPosting): LineRow => ({
  id: String(id),
  at,
  what: `${spaced(event)}: ${debitAndCredit(entry)}`,
  amount,
})

/** One side of a break, line by line. */
function List({ title, currency, rows }: { title: string; currency: string; rows: readonly LineRow[] }) {
  return (
    <section aria-label={title}>
      <h3 className="mb-1 text-sm font-semibold">{title}</h3>
      {rows.length === 0 ? <p className="text-sm text-muted-foreground">{texts.noLines}</p> : null}
      <ul className="divide-y">
        {rows.map((row) => (
          <li key={row.id} className="grid grid-cols-[1fr_auto] gap-x-3 py-1.5">
            <span className="min-w-0 wrap-anywhere">{row.what}</span>
            <span className="text-right tabular-nums">
              {figure(row.amount)} {currency}
            </span>
            <span className="col-span-2 text-xs text-muted-foreground">
              <Time at={row.at} />
              {row.id ? <span className="font-mono wrap-anywhere"> · {row.id}</span> : null}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
