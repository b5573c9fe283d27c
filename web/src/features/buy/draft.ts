import { type Asset, assets } from '@/api/lists.gen'
import { keepDraft, readDraft } from '@/lib/drafts'
import { parseAmount } from '@/lib/money'

/** A person's input on /buy. */
export interface BuyDraft {
  asset: Asset
  amount: string
  method: string
  address: string
  /** The amount is typed in dollars, before fees: `amount` is what they buy at the current price. */
  fiat?: string | undefined
  /** What was estimated in all for this asset and amount, to say when the exact one differs. */
  estimate?: string | undefined
}

/** Its draft's name (lib/draft.ts). */
export const BUY = 'buy'
export const emptyDraft: BuyDraft = { asset: 'BTC', amount: '', method: 'card', address: '' }

function short(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, 200) : ''
}

/** A draft as it is stored; all of it is validated. */
export function asBuyDraft(stored: Record<string, unknown>): BuyDraft {
  return {
    asset: assets.find((asset) => asset === stored.asset) ?? emptyDraft.asset,
    amount: short(stored.amount),
    method: stored.method === '' ? '' : short(stored.method) || emptyDraft.method,
    address: short(stored.address),
    ...(typeof stored.fiat === 'string' ? { fiat: short(stored.fiat) } : {}),
    ...(parseAmount(short(stored.estimate)) ? { estimate: short(stored.estimate) } : {}),
  }
}

/** What a change leaves of a draft: another purchase has no estimate, and its dollars buy another amount. */
export function changed(draft: BuyDraft, part: Partial<BuyDraft>): BuyDraft {
  const other = 'asset' in part || 'amount' in part || 'fiat' in part
  const next = { ...draft, ...part }
  if (!other) return next
  return {
    ...next,
    estimate: undefined,
    ...(next.fiat !== undefined && !('amount' in part) ? { amount: '' } : {}),
  }
}

/** Hands over to /buy what was entered elsewhere. */
export function handOver(userId: string, draft: BuyDraft): void {
  keepDraft(userId, BUY, draft, { empty: emptyDraft })
}

/** Once an order is made its draft ends; whether the amount is typed in dollars holds for the next one too. */
export function endDraft(userId: string): void {
  const dollars = typeof readDraft(userId, BUY)?.values.fiat === 'string'
  handOver(userId, dollars ? { ...emptyDraft, fiat: '' } : emptyDraft)
}

/** rules §3: the dashboard's four methods under the buy flow's names; cash has none. */
export const fromDashboardMethod: Record<string, string> = {
  card: 'card',
  ach: 'bank_transfer',
  wire: 'domestic_wire',
  cash: '',
}
