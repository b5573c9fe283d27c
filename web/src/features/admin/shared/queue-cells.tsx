import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Copyable } from '@/components/form/copyable'
import { StatusBadge } from '@/components/status/badge'
import type { StatusLook } from '@/components/status/status'
import { useNow } from '@/lib/clock'
import { cn } from '@/lib/cn'
import { longTime, MISSING, usd } from '@/lib/format'
import { queue as texts } from '@/messages/admin-queue'
import { records } from '@/messages/admin-records'
import { Person } from './person'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** "12 min", "3 h", "2 d": for a column. */
export function shortAge(ms: number): string {
  if (ms < MINUTE) return texts.now
  if (ms < HOUR) return texts.minutes(Math.floor(ms / MINUTE))
  if (ms < 2 * DAY) return texts.hours(Math.floor(ms / HOUR))
  return texts.days(Math.floor(ms / DAY))
}

/** How long something has waited: amber after an hour, red after a day. */
export function Age({ since, waits = true }: { since: string; waits?: boolean }) {
  const now = useNow(10_000)
  const ms = Math.max(0, now - Date.parse(since))
  const tone =
    !waits || ms < HOUR ? '' : ms < DAY ? 'font-medium text-pending-text' : 'font-medium text-danger-text'
  return (
    <time dateTime={since} title={longTime(since)} className={cn('whitespace-nowrap tabular-nums', tone)}>
      {shortAge(ms)}
    </time>
  )
}

/** The risk score as a figure whose colour says how much speaks against it. */
export function RiskScore({ risk }: { risk: { score: number; underReview: boolean } | undefined }) {
  if (!risk) {
    return (
      <span className="text-muted-foreground">
        <span aria-hidden>0</span>
        <span className="sr-only">{texts.noRisk}</span>
      </span>
    )
  }
  const tone =
    risk.score >= 70 || risk.underReview ? 'text-danger-text' : risk.score >= 30 ? 'text-pending-text' : ''
  return (
    <span
      className={cn('font-medium tabular-nums', tone)}
      title={risk.underReview ? texts.underReview : undefined}
    >
      <span className="sr-only">{texts.riskScore(risk.score)}</span>
      <span aria-hidden>{risk.score}</span>
      {risk.underReview ? <span className="sr-only"> {texts.underReview}</span> : null}
    </span>
  )
}

/** What something costs; where money came that does not fit it, how much of it came. */
export function Cost({ amount, received = null }: { amount: string; received?: string | null }) {
  return (
    <span className="font-medium tabular-nums">
      {received === null ? usd(amount) : texts.received(usd(received), usd(amount))}
    </span>
  )
}

interface CustomerProps {
  id: string
  name: string
  country?: string
}

/** Whose it is, with the way to their page, and their country. */
export function CustomerLink({ id, name, country }: CustomerProps) {
  return (
    <>
      <Link
        to="/admin/customers/$id"
        params={{ id }}
        title={name}
        className="rounded-sm underline-offset-4 hover:underline"
      >
        <Person name={name} />
      </Link>
      {country ? <span className="ml-1.5 text-xs text-muted-foreground">{country}</span> : null}
    </>
  )
}

/** A provider's name for something, in a column. */
export function Id({ text, what }: { text: string | null | undefined; what: string }) {
  return text ? <Copyable text={text} what={what} /> : <>{MISSING}</>
}

/** A sentence in a column: cut off there, and whole on a pointer's rest. */
export const Long = ({ text }: { text: string }) => <span title={text}>{text}</span>

/** The status of a row, and whether a decision about it is in progress. */
export function RowStatus({ look, underWay = false }: { look: StatusLook; underWay?: boolean }) {
  return <StatusBadge look={underWay ? { label: records.underWayShort, tone: 'progress' } : look} />
}

interface OpenerProps {
  children: ReactNode
  onOpen: () => void
}

/** What opens a row that has no page of its own. */
export function Opener({ children, onOpen }: OpenerProps) {
  return (
    <button type="button" data-open onClick={onOpen} className={rowLink}>
      {children}
    </button>
  )
}

/** The style of a reference that opens its row. */
export const rowLink =
  'rounded-sm font-mono text-xs font-medium whitespace-nowrap underline-offset-4 hover:underline'

/** What a card's buttons stand in. On a phone they fill its width, as high as a thumb needs. */
export const rowActs =
  'mt-auto flex flex-wrap items-center gap-2 pt-4 empty:hidden max-md:*:h-11 max-md:*:grow'
