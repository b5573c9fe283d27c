import { HttpError } from '@/lib/http'

/** The number of concurrent calls. */
export const AT_ONCE = 4

/** Runs an act for each item, `atOnce` at a time, in order; a failure does not stop the others. */
export async function forEach<T>(items: readonly T[], atOnce: number, act: (item: T) => Promise<void>) {
  const left = items.values()
  const walk = async () => {
    for (const item of left) await act(item)
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, walk))
}

const MIN_WAIT_S = 1
const MAX_WAIT_S = 60

const pause = (seconds: number) => new Promise<void>((resolve) => setTimeout(resolve, seconds * 1000))

/** Whether the server took no notice of a call: it was one too many, and can be sent again. */
export const isThrottled = (error: unknown): error is HttpError =>
  error instanceof HttpError && error.status === 429

/**
 * Runs calls that share one rate limit. A throttled call is sent again after its Retry-After, and no other call is sent
 * before. It throws the refusal once `stopped` reports true.
 */
export function pacer(stopped: () => boolean, wait: (seconds: number) => Promise<void> = pause) {
  let resting: Promise<void> | undefined
  return async <R>(call: () => Promise<R>, onWait: (seconds: number) => void): Promise<R> => {
    for (;;) {
      await resting
      try {
        return await call()
      } catch (error) {
        if (!isThrottled(error) || stopped()) throw error
        const seconds = Math.min(Math.max(error.retryAfter, MIN_WAIT_S), MAX_WAIT_S)
        onWait(seconds)
        resting ??= wait(seconds).finally(() => {
          resting = undefined
        })
        await resting
        if (stopped()) throw error
      }
    }
  }
}

export type Fate =
  | { is: 'asking' | 'waiting' | 'done' | 'working' | 'unanswered' | 'unsent' }
  /** By the server, which says why. */
  | { is: 'refused'; why: string | undefined }

/** What is known after a call failed: a refusal changed nothing; without an answer the outcome is unknown. */
export function fateOf(error: unknown): Fate {
  if (isThrottled(error)) return { is: 'unsent' }
  if (error instanceof HttpError && error.status >= 400 && error.status < 500)
    return { is: 'refused', why: error.userMessage }
  return { is: 'unanswered' }
}
