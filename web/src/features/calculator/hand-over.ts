import type { BuyDraft } from '@/features/buy/draft'
import { keepDraft } from '@/lib/drafts'

/** rules §3: the methods of the public prices under the buy flow's names; cash has none. */
const rails: Record<string, string> = { card: 'card', ach: 'bank_transfer', wire: 'domestic_wire' }

/** Hands over to /buy what was chosen here. A visitor's draft becomes theirs when they have signed in. */
export function handOver(
  userId: string | undefined,
  chosen: { asset: BuyDraft['asset']; method: string; fiat?: string; estimate?: string },
): void {
  const empty: BuyDraft = { asset: 'BTC', amount: '', method: 'card', address: '' }
  const { asset, method, fiat, estimate } = chosen
  const draft: BuyDraft = { ...empty, asset, method: rails[method] ?? '' }
  keepDraft(userId ?? '', 'buy', fiat ? { ...draft, fiat, ...(estimate ? { estimate } : {}) } : draft, {
    empty,
  })
}
