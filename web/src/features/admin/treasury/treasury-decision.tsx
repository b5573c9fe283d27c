import { useState } from 'react'
import type { TreasuryMove } from '@/api/types.gen'
import { adminTreasury as texts } from '@/messages/admin-treasury'
import { approvalsKey } from '../approvals/approval-query'
import { useSeen, WhatChanged } from '../approvals/seen'
import { DecisionDialog } from '../shared/decision-dialog'
import { ReferenceField } from '../shared/reference-field'
import { useStepUpAct } from '../shared/use-step-up-act'
import { decideMove, type MoveAction, treasuryKey, whatMoves } from './queries'

const words: Record<MoveAction, { title: string; text: (what: string) => string; done: string }> = {
  approve: { title: texts.approveTitle, text: texts.approveText, done: texts.approved },
  reject: { title: texts.rejectTitle, text: texts.rejectText, done: texts.rejected },
  withdraw: { title: texts.withdrawTitle, text: texts.rejectText, done: texts.withdrawn },
  adopt: { title: texts.adoptTitle, text: texts.adoptText, done: texts.adopted },
  resend: { title: texts.resendTitle, text: texts.resendText, done: texts.resent },
  accept: { title: texts.acceptTitle, text: texts.acceptText, done: texts.accepted },
  recheck: { title: texts.recheckTitle, text: texts.recheckText, done: texts.rechecked },
  give_up: { title: texts.giveUpTitle, text: texts.giveUpText, done: texts.gaveUp },
}

interface MoveDecisionProps {
  move: TreasuryMove
  action: MoveAction
  onClose: () => void
}

/** The dialog of one decision about one move; amount, asset and wallet are repeated in all of them. */
export function MoveDecision({ move, action, onClose }: MoveDecisionProps) {
  const [reference, setReference] = useState('')
  const adopts = action === 'adopt'
  const seen = useSeen('treasury_move', move.id, action === 'approve')
  const press = useStepUpAct(
    (reason, code) =>
      decideMove(move.id, action, { reason, reference: reference.trim(), version: seen.version }, code),
    {
      said: () => ({ title: words[action].done }),
      failed: texts.failed,
      failedText: texts.failedText,
      changes: [treasuryKey, approvalsKey],
      onDone: onClose,
    },
  )
  return (
    <DecisionDialog
      title={words[action].title}
      text={words[action].text(whatMoves(move))}
      confirm={texts[action]}
      destructive={!['approve', 'adopt', 'recheck'].includes(action)}
      {...(action === 'approve'
        ? {}
        : { reason: { label: texts.reason, placeholder: texts.reasonPlaceholder } })}
      incomplete={seen.incomplete || (adopts && reference.trim() === '')}
      decision={press}
      onClose={onClose}
    >
      {seen.facts}
      <WhatChanged error={press.error} />
      {adopts ? (
        <ReferenceField
          id="withdrawal-reference"
          label={texts.reference}
          value={reference}
          onChange={setReference}
        />
      ) : null}
    </DecisionDialog>
  )
}
