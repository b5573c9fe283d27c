import type { QueryKey } from '@tanstack/react-query'
import type { Outcome } from '@/api/types.gen'
import { admin } from '@/messages/admin'
import type { Act } from './use-act'
import { useStepUpAct } from './use-step-up-act'

interface DecisionTexts {
  done: string
  doneText?: string
  failed: string
  failedText: string
}

/**
 * One decision by an admin that a workflow executes. An answer "still working" (202) gets a neutral toast;
 * the row stays locked until the lists show its end. A refusal (409) shows the server's reason. With `asks`, an admin with
 * a second factor enters a fresh code for it.
 */
export function useDecision(
  decide: (reason: string, code?: string) => Promise<Outcome>,
  texts: DecisionTexts,
  changes: readonly QueryKey[],
  onDone: () => void,
  asks = false,
): Act {
  return useStepUpAct(decide, {
    asks,
    said: (outcome) => whatBecame(outcome, texts),
    failed: texts.failed,
    failedText: texts.failedText,
    toastsRefusal: true,
    changes,
    onDone,
  })
}

function whatBecame(outcome: Outcome, { done, doneText }: DecisionTexts) {
  switch (outcome.state) {
    case 'working':
      return { title: admin.underWay, description: admin.underWayText }
    case 'proposed':
      return { title: admin.proposed, description: outcome.message }
    default:
      return { title: done, ...(doneText ? { description: doneText } : {}) }
  }
}
