import { isPositive } from '@/lib/money'
import { isVerified, type User } from '@/lib/session'
import type { ToastContent } from '@/lib/toast'
import { buy } from '@/messages/buy'
import { checkAddress, type Sending } from './address'
import { addressProblem } from './address-field'
import type { BuyDraft } from './draft'

/** What prevents an order: specification §5's toast for the first problem, and a text at each field. */
export interface Mistakes {
  amount?: string
  method?: string
  address?: string
  /** The id of the field to correct. */
  at?: string
  toast?: ToastContent
}

/** What the button says: where only the identity is missing, that it leads there. */
export function buttonLabel(draft: BuyDraft, user: User, sending?: Sending): string {
  return mistakesOf(draft, user, sending).at === 'kyc-link' && user.kycStatus !== 'pending'
    ? buy.verifyButton
    : buy.buyButton
}

/** In specification §5's order: the amount, the address, the identity. */
export function mistakesOf(draft: BuyDraft, user: User, sending?: Sending): Mistakes {
  if (!isPositive(draft.amount)) {
    return {
      at: 'amount',
      amount: buy.invalidAmountText,
      toast: { title: buy.invalidAmountTitle, description: buy.invalidAmountText },
    }
  }
  if (draft.method === '') {
    return {
      method: buy.methodMissing,
      toast: { title: buy.methodMissingTitle, description: buy.methodMissing },
    }
  }
  if (draft.address.trim() === '') {
    return {
      at: 'address',
      address: buy.addressRequiredText,
      toast: { title: buy.addressRequiredTitle, description: buy.addressRequiredText },
    }
  }
  const problem = addressProblem(draft.asset, checkAddress(draft.asset, draft.address, sending))
  if (problem)
    return {
      at: 'address',
      address: problem,
      toast: { title: buy.addressInvalidTitle, description: problem },
    }
  if (!isVerified(user)) {
    return { at: 'kyc-link', toast: { title: buy.kycTitle, description: buy.kycText } }
  }
  return {}
}
