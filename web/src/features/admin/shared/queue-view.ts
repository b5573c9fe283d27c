import { text } from '@/lib/search'

/** What every queue's address may say besides: which columns its rows have. */
export interface QueueView {
  cols?: string | undefined
}

export const colsOf = (search: Record<string, unknown>) => text(search.cols)?.slice(0, 200)
