import { signMemberOut } from '@/api/admin.gen'
import type { TeamMember } from '@/api/types.gen'
import { adminTeam as texts } from '@/messages/admin-team'
import { DecisionDialog } from '../shared/decision-dialog'
import { useTeamAct } from './team-act'

/** Ends every session of a colleague: of a lost laptop, or of one who has left. */
export function SignMemberOut({ member, onClose }: { member: TeamMember; onClose: () => void }) {
  const act = useTeamAct(async (reason: string) => {
    const { data } = await signMemberOut({ path: { id: member.id }, body: { reason } })
    return { title: texts.signedOut(data.ended) }
  }, onClose)
  return (
    <DecisionDialog
      title={texts.signOutTitle}
      text={texts.signOutText(member.name, texts.places(member.sessions))}
      confirm={texts.signOutConfirm}
      destructive
      reason={{ label: texts.reason, placeholder: texts.reasonPlaceholder }}
      decision={act}
      onClose={onClose}
    />
  )
}
