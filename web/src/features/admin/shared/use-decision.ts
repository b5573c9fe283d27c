import type { QueryKey } from '@tanstack/react-query'
import type { Outcome } from '@/api/types.gen'
import { admin } from '@/messages/admin'
import { type Act, useAct } from './use-act'

interface DecisionTexts {
  done: string
  doneText?: string
  failed: string
  failedText: string
}

/**
 * One decision by an admin that a workflow executes. An answer "still working" (202) gets a neutral toast;
 * the row stays locked until the lists show its end. A refusal (409) shows the server's reason.
 */
export function useDecision(
  decide: (reason: string) => Promise<Outcome>,
  texts: DecisionTexts,
  changes: readonly QueryKey[],
  onDone: () => void,
): Act {
  return useAct(decide, {
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
