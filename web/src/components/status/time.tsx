import { exactTime, longTime, shortTime, utcTime } from '@/lib/format'

interface TimeProps {
  at: string | null | undefined
  /** With the year and the time zone. */
  long?: boolean
  /** With seconds. */
  exact?: boolean
}

/** Local time, by the clock of 24 hours; UTC on hover. */
export function Time({ at, long = false, exact = false }: TimeProps) {
  if (!at) return <>{shortTime(at)}</>
  return (
    <time
      dateTime={at}
      title={utcTime(at)}
      className={long ? 'tabular-nums' : 'whitespace-nowrap tabular-nums'}
    >
      {long ? longTime(at) : exact ? exactTime(at) : shortTime(at)}
    </time>
  )
}
