import { longTime, shortTime, utcTime } from '@/lib/format'

/** Local time; UTC on hover. */
export function Time({ at, long = false }: { at: string | null | undefined; long?: boolean }) {
  if (!at) return <>{shortTime(at)}</>
  return (
    <time
      dateTime={at}
      title={utcTime(at)}
      className={long ? 'tabular-nums' : 'whitespace-nowrap tabular-nums'}
    >
      {long ? longTime(at) : shortTime(at)}
    </time>
  )
}
