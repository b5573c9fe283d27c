import { useNow } from '@/lib/clock'
import { countdown, timeLeft, utcTime } from '@/lib/format'

const HOUR_MS = 3_600_000

/** The time left until `at`: to the second in the last hour, before that its two largest parts. Ears are told once. */
export function TimeLeft({ at }: { at: string }) {
  const left = Math.max(0, new Date(at).getTime() - useNow(1000))
  return (
    <time dateTime={at} title={utcTime(at)} role="timer" aria-live="off" className="tabular-nums">
      {left < HOUR_MS ? countdown(Math.ceil(left / 1000)) : timeLeft(left)}
    </time>
  )
}
