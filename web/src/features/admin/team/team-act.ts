import { adminTeam as texts } from '@/messages/admin-team'
import { approvalsKey } from '../approvals/approval-query'
import { useStepUpAct } from '../shared/use-step-up-act'
import { teamKey } from './queries'

/** One act about the team, which says itself what became of it. */
export function useTeamAct(
  act: (reason: string, code?: string) => Promise<{ title: string; description?: string }>,
  onDone: () => void,
) {
  return useStepUpAct(act, {
    said: (became) => became,
    failed: texts.failed,
    failedText: texts.failedText,
    changes: [teamKey, approvalsKey],
    onDone,
  })
}
