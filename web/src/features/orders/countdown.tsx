import { useNow } from '@/lib/clock'
import { countdown, timeLeft, utcTime } from '@/lib/format'

const HOUR_MS = 3_600_000

interface TimeLeftProps {
  at: string
  /** The sentence that the time stands in. */
  words: (left: string) => string
  /** The text when no time is left. */
  over: string
}

/**
 * The time left until `at`: to the second in the last hour, before that its two largest parts. Screen readers
 * announce it once.
 */
export function TimeLeft({ at, words, over }: TimeLeftProps) {
  const left = new Date(at).getTime() - useNow(1000)
  return (
    <time dateTime={at} title={utcTime(at)} role="timer" aria-live="off" className="tabular-nums">
      {left <= 0 ? over : words(left < HOUR_MS ? countdown(Math.ceil(left / 1000)) : timeLeft(left))}
    </time>
  )
}
