import { useState } from 'react'
import type { Approval } from '@/api/types.gen'
import { adminApprovals as texts } from '@/messages/admin-approvals'
import { DecisionDialog } from '../shared/decision-dialog'
import { orderKeys } from '../shared/order-decisions'
import { useStepUpAct } from '../shared/use-step-up-act'
import { ApprovalFacts, amountOf, coinsOf } from './approval-facts'
import { approvalsKey } from './approval-query'
import { type ApprovalAction, approveActs, asksCode, endActs } from './queries'
import { WhatChanged } from './seen'

/** The lists that an approval can change. */
const changes = [
  approvalsKey,
  ['admin-money'],
  ['admin-payouts'],
  ['admin-payout'],
  ['admin-vouchers'],
  ['admin-voucher'],
  ['admin-treasury'],
  ['admin-team'],
  ['admin-risk'],
  ['admin-reconciliation'],
  ...orderKeys,
]

interface ApprovalDialogProps {
  approval: Approval
  action: ApprovalAction
  onClose: () => void
}

/** The dialog of one decision. It shows the approval as it was when it opened, and approves that version. */
export function ApprovalDialog({ approval, action, onClose }: ApprovalDialogProps) {
  const [seen] = useState(approval)
  const approves = action === 'approve'
  const releases = approves && seen.kind === 'risk_release'
  const act = approves ? approveActs[seen.kind] : endActs[seen.kind]
  const decide = useStepUpAct(async (reason, code) => act?.(seen, { reason, code }), {
    asks: approves && asksCode.includes(seen.kind),
    said: () => ({ title: texts.done[action] }),
    failed: texts.failed,
    failedText: texts.failedText,
    changes,
    onDone: onClose,
  })
  const title = {
    approve: texts.approveTitle,
    reject: texts.rejectTitle,
    withdraw: texts.withdrawTitle,
  }[action]
  const about = [seen.amount && amountOf(seen), coinsOf(seen), seen.customer, seen.reference]
    .filter(Boolean)
    .join(' · ')
  const needsReason = releases || (!approves && seen.kind !== 'voucher_void')
  return (
    <DecisionDialog
      title={title(seen.title)}
      text={`${about}. ${approves ? texts.approveText : texts.endText}`}
      confirm={texts.actions[action]}
      destructive={action === 'reject'}
      {...(needsReason
        ? {
            reason: {
              label: releases ? texts.releaseReason : texts.reasonLabel,
              placeholder: releases ? '' : texts.reasonPlaceholder,
            },
          }
        : {})}
      decision={decide}
      onClose={onClose}
    >
      <div className="mb-4">
        <ApprovalFacts approval={seen} />
        <WhatChanged error={decide.error} />
      </div>
    </DecisionDialog>
  )
}
