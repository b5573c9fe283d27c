import { lazy } from 'react'
import { adminGiftCards as texts } from '@/messages/admin-gift-cards'
import type { DecisionButton } from '../shared/decision-buttons'
import type { ClaimAction } from './gift-card-claim'
import type { CardAction } from './gift-card-decision'

/** What can be decided about a gift card. */
export const cardButtons: readonly DecisionButton<CardAction>[] = [
  { action: 'approve', label: texts.approve, weight: 'first', shortcut: 'a' },
  { action: 'reject', label: texts.reject, weight: 'danger', shortcut: 'r' },
  { action: 'realise', label: texts.realise, weight: 'first', shortcut: 's' },
]

/** What two people decide about a card that was found used. */
export const claimButtons: readonly DecisionButton<ClaimAction>[] = [
  { action: 'claim', label: texts.claim, weight: 'danger' },
  { action: 'reverse_claim', label: texts.reverseClaim },
]

/** Fetched with the first press. */
export const GiftCardDecision = lazy(async () => ({
  default: (await import('./gift-card-decision')).GiftCardDecision,
}))

/** Fetched with the first press. */
export const GiftCardClaimDialog = lazy(async () => ({
  default: (await import('./gift-card-claim')).GiftCardClaimDialog,
}))
