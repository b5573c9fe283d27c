import { lazy } from 'react'
import { adminGiftCards as texts } from '@/messages/admin-gift-cards'
import type { DecisionButton } from '../shared/decision-buttons'
import type { CardAction } from './gift-card-decision'

/** What can be decided about a gift card. */
export const cardButtons: readonly DecisionButton<CardAction>[] = [
  { action: 'approve', label: texts.approve, weight: 'first', shortcut: 'a' },
  { action: 'reject', label: texts.reject, weight: 'danger', shortcut: 'r' },
  { action: 'realise', label: texts.realise, weight: 'first', shortcut: 's' },
]

/** Fetched with the first press. */
export const GiftCardDecision = lazy(async () => ({
  default: (await import('./gift-card-decision')).GiftCardDecision,
}))
