import { adminTeam as texts } from '@/messages/admin-team'
import { teamKey } from './team-queries'
import { useStepUpAct } from './use-step-up-act'

/** One act about the team, which says itself what became of it. */
export function useTeamAct(
  act: (reason: string, code?: string) => Promise<{ title: string; description?: string }>,
  onDone: () => void,
) {
  return useStepUpAct(act, {
    said: (became) => became,
    failed: texts.failed,
    failedText: texts.failedText,
    changes: [teamKey],
    onDone,
  })
}
