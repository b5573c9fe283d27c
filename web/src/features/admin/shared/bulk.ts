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

export type Fate =
  | { is: 'asking' | 'done' | 'working' | 'unanswered' }
  /** By the server, which says why. */
  | { is: 'refused'; why: string | undefined }

/** What is known after a call failed: a refusal changed nothing; without an answer the outcome is unknown. */
export function fateOf(error: unknown): Fate {
  if (error instanceof HttpError && error.status >= 400 && error.status < 500)
    return { is: 'refused', why: error.userMessage }
  return { is: 'unanswered' }
}
