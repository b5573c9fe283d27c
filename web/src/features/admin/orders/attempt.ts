import type { AdminOrder } from '@/api/types.gen'
import { shortTime } from '@/lib/format'
import { adminOrder, adminOrders as texts } from '@/messages/admin-order'

type Tried = Pick<AdminOrder, 'status' | 'asset'> & {
  metadata: Pick<AdminOrder['metadata'], 'failedStep' | 'lastError'>
}

const { providers } = adminOrder

/** Who is asked in each status, and by each step that can fail. */
const asked: Record<string, string> = {
  pending: providers.stripe,
  payment_approved: providers.stripe,
  fulfilling: providers.kraken,
  filled: providers.bitgo,
  buy: providers.kraken,
  send: providers.bitgo,
}

export interface AttemptText {
  text: string
  /** More money of ours at the provider is what it needs. */
  treasury: boolean
}

/** Why an order's last attempt failed: whose answer it was, what it means if we know it, and its code. */
export function attemptText({ status, asset, metadata }: Tried): AttemptText | undefined {
  const { lastError, failedStep } = metadata
  if (!lastError || status === 'sent') return undefined
  const provider = asked[failedStep ?? status]
  const [code = '', ...rest] = lastError.split(': ')
  if (code === 'insufficient_funds' && (provider === providers.kraken || provider === providers.bitgo))
    return {
      text: texts.tooFew(provider, provider === providers.kraken ? texts.dollars : asset),
      treasury: true,
    }
  const said = rest.length > 0 ? `${rest.join(': ')} (${code})` : code
  return { text: provider ? `${provider}: ${said}` : said, treasury: false }
}

/** When the step of an order that keeps failing is tried next, or was last where that is not known. */
export function retryingText(order: Pick<AdminOrder, 'status' | 'metadata' | 'updatedAt'>) {
  if (!isRetrying(order)) return null
  const { nextAttemptAt, lastErrorAt } = order.metadata
  return nextAttemptAt ? texts.retryingAt(shortTime(nextAttemptAt)) : texts.retrying(shortTime(lastErrorAt))
}

/** Whether the last thing that happened to an order is a failed attempt, which is repeated automatically. */
export function isRetrying({
  status,
  metadata,
  updatedAt,
}: Pick<AdminOrder, 'status' | 'metadata' | 'updatedAt'>) {
  const failed = Date.parse(metadata.lastErrorAt ?? '')
  return ['pending', 'fulfilling', 'filled'].includes(status) && failed + 1000 >= Date.parse(updatedAt)
}
