import type { AdminVoucherBatch } from '@/api/types.gen'
import { voucherBatches as texts, adminVouchers as vouchers } from '@/messages/admin-vouchers'
import { approvalsKey } from '../approvals/approval-query'
import { useSeen, WhatChanged } from '../approvals/seen'
import { type DecisionButton, DecisionButtons } from '../shared/decision-buttons'
import { DecisionDialog } from '../shared/decision-dialog'
import { useAct } from '../shared/use-act'
import { type BatchAction, batchDecisions } from './queries'
import { batchName } from './voucher-card'

const buttons: readonly DecisionButton<BatchAction>[] = [
  { action: 'approve', label: texts.actions.approve, weight: 'first', shortcut: 'a' },
  { action: 'agree', label: texts.actions.agree, weight: 'danger', shortcut: 'y' },
  { action: 'refuse', label: texts.actions.refuse, shortcut: 'x' },
  { action: 'void', label: texts.actions.void, weight: 'danger', shortcut: 'v' },
]

/** The possible decisions about a batch. */
export function BatchButtons({ batch }: { batch: AdminVoucherBatch }) {
  return (
    <DecisionButtons
      underWay={false}
      buttons={buttons.filter(({ action }) => batch.actions.includes(action))}
      dialog={(action, close) => <Decide batch={batch} action={action} onClose={close} />}
    />
  )
}

interface DecideProps {
  batch: AdminVoucherBatch
  action: BatchAction
  onClose: () => void
}

function Decide({ batch, action, onClose }: DecideProps) {
  const completes = action === 'approve' || action === 'agree'
  const seen = useSeen(action === 'agree' ? 'voucher_void' : 'voucher_batch', batch.id, completes)
  const decide = useAct((reason) => batchDecisions[action](batch.id, reason, seen.version), {
    said: ({ message }) => ({ title: texts.done[action], ...(message ? { description: message } : {}) }),
    failed: vouchers.decisionFailed,
    failedText: vouchers.decisionFailedText,
    changes: [['admin-vouchers'], approvalsKey],
    onDone: onClose,
  })
  return (
    <DecisionDialog
      title={texts.actions[action]}
      text={`${texts.named(batchName(batch.id))} · ${texts.vouchers(batch.total)} · ${batch.createdBy}. ${texts.dialogs[action]}`}
      confirm={texts.actions[action]}
      destructive={action === 'void' || action === 'agree'}
      {...(action === 'void'
        ? { reason: { label: vouchers.reason, placeholder: vouchers.reasonPlaceholder } }
        : {})}
      incomplete={seen.incomplete}
      decision={decide}
      onClose={onClose}
    >
      {seen.facts}
      <WhatChanged error={decide.error} />
    </DecisionDialog>
  )
}
