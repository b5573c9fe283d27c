import { UsersRound } from 'lucide-react'
import type { AdminKyc, KycProposal } from '@/api/types.gen'
import { Notice } from '@/components/states/states'
import { shortTime } from '@/lib/format'
import { adminKyc as texts } from '@/messages/admin-kyc'
import { adminOrder } from '@/messages/admin-order'
import { type DecisionButton, RowDecisions } from '../shared/decision-buttons'
import { DecisionDialog } from '../shared/decision-dialog'
import { useDecision } from '../shared/use-decision'
import { FinalSaid } from './final-said'
import { answerProposal, type KycAnswer } from './queries'

const answers: readonly DecisionButton<KycAnswer>[] = [
  { action: 'approve', label: texts.answers.approve.button, weight: 'first', shortcut: 'a' },
  { action: 'reject', label: texts.answers.reject.button, weight: 'danger', shortcut: 'd' },
  { action: 'withdraw', label: texts.answers.withdraw.button, shortcut: 'w' },
]

type Proposed = Pick<AdminKyc, 'id' | 'customerName' | 'customerEmail' | 'final'>

/** The approval that waits for a second person, and the buttons of those who may answer it. */
export function ProposalNotice({ one, proposal }: { one: Proposed; proposal: KycProposal }) {
  const may = (answer: KycAnswer) => proposal.actions.includes(answer)
  return (
    <Notice
      tone="pending"
      icon={UsersRound}
      className="mb-6"
      title={texts.proposed(texts.levels[proposal.level])}
    >
      <p>
        {texts.proposedBy(proposal.proposer)} · {adminOrder.since(shortTime(proposal.createdAt))}.{' '}
        {texts.unchanged}
      </p>
      <p className="mt-1 wrap-anywhere">“{proposal.reason}”</p>
      <FinalSaid final={one.final} className="mt-1" />
      {may('approve') ? null : <p className="mt-1">{may('withdraw') ? texts.mine : texts.theirs}</p>}
      <div className="mt-3 flex flex-wrap gap-2 empty:hidden">
        <RowDecisions
          buttons={answers}
          actions={proposal.actions}
          row={one.customerName || one.customerEmail}
          dialog={(answer, close) => (
            <ProposalAnswer one={one} proposal={proposal} answer={answer} onClose={close} />
          )}
        />
      </div>
    </Notice>
  )
}

interface ProposalAnswerProps {
  one: Proposed
  proposal: KycProposal
  answer: KycAnswer
  onClose: () => void
}

/** The dialog of an answer: it repeats the customer, the level, the reason and what the provider said. */
function ProposalAnswer({ one, proposal, answer, onClose }: ProposalAnswerProps) {
  const words = texts.answers[answer]
  const approves = answer === 'approve'
  const decision = useDecision(
    (reason, code) => answerProposal(one.id, proposal, answer, reason, code),
    { done: words.done, failed: texts.failed, failedText: texts.failedText },
    [['admin-kyc']],
    onClose,
    approves,
  )
  return (
    <DecisionDialog
      title={words.title}
      text={words.text(one.customerName || one.customerEmail, texts.levels[proposal.level])}
      confirm={words.button}
      destructive={answer === 'reject'}
      {...(approves ? {} : { reason: { label: texts.reason, placeholder: texts.reasonPlaceholder } })}
      decision={decision}
      onClose={onClose}
    >
      <p className="text-sm text-muted-foreground">{texts.proposedBy(proposal.proposer)}</p>
      <p className="text-sm wrap-anywhere">“{proposal.reason}”</p>
      <FinalSaid final={one.final} className="mb-4 text-sm" />
    </DecisionDialog>
  )
}
