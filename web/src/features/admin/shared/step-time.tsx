import { utcTime } from '@/lib/format'

const stamp = new Intl.DateTimeFormat('en-US', {
  month: 'short',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
})

interface StepTimeProps {
  at: string
  /** When the step before it happened. */
  after?: string | undefined
}

const MOST_S = 3600

const MINUTE_S = 60

/** Seconds as staff read them: minutes where there are any. */
export function lapOf(seconds: number): string {
  const rest = `${seconds % MINUTE_S} s`
  return seconds < MINUTE_S ? rest : `${Math.floor(seconds / MINUTE_S)} min ${rest}`
}

/**
 * The time of one step to the second, and how long after the one before: staff follow what a program did. On a phone
 * the second is below the first.
 */
export function StepTime({ at, after }: StepTimeProps) {
  const seconds = after ? Math.round((Date.parse(at) - Date.parse(after)) / 1000) : undefined
  return (
    <time dateTime={at} title={utcTime(at)} className="whitespace-nowrap tabular-nums">
      {stamp.format(new Date(at))}
      {seconds !== undefined && seconds < MOST_S ? (
        <span className="max-sm:block">
          <span className="max-sm:hidden"> · </span>+{lapOf(seconds)}
        </span>
      ) : null}
    </time>
  )
}

/** StepTime in the form that every timeline of the back office uses. */
export const stepTime = (at: string, after: string | undefined) => <StepTime at={at} after={after} />
