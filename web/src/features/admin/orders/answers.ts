import { proposals as texts } from '@/messages/admin-proposals'
import type { DecisionButton } from '../shared/decision-buttons'

/** An answer to what was proposed, as the server names it. */
export type Answer = 'approve_proposal' | 'reject_proposal' | 'withdraw_proposal'

export const answers: readonly DecisionButton<Answer>[] = [
  { action: 'approve_proposal', label: texts.approve, weight: 'first', shortcut: 'a' },
  { action: 'reject_proposal', label: texts.reject, weight: 'danger', shortcut: 'd' },
  { action: 'withdraw_proposal', label: texts.withdraw, shortcut: 'w' },
]

export const isAnswer = (action: string): action is Answer => answers.some((one) => one.action === action)
