import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { AdminVoucher } from '@/api/types.gen'
import { Field } from '@/components/form/field'
import { CryptoAmount } from '@/components/money/money'
import { StatusBadge } from '@/components/status/badge'
import type { StatusLook } from '@/components/status/status'
import { Time } from '@/components/status/time'
import { Input } from '@/components/ui/input'
import { textLink } from '@/components/ui/text-link'
import { worthOf } from '@/features/vouchers/queries'
import { day, MISSING } from '@/lib/format'
import { fieldMessage } from '@/lib/http'
import { reasonPresets } from '@/messages/admin-queue'
import {
  adminVoucherStatus as labels,
  adminVouchers as texts,
  voucherReasons,
} from '@/messages/admin-vouchers'
import { approvalsKey } from '../approvals/approval-query'
import { useSeen, WhatChanged } from '../approvals/seen'
import { type DecisionButton, RowDecisions } from '../shared/decision-buttons'
import { DecisionDialog } from '../shared/decision-dialog'
import { Fact, Facts } from '../shared/facts'
import { rowActs } from '../shared/queue-cells'
import { useDecision } from '../shared/use-decision'
import { WorkflowLink } from '../shared/workflow-link'
import { type VoucherAction, voucherDecisions } from './queries'

export const voucherLooks: Record<AdminVoucher['status'], StatusLook> = {
  awaiting_approval: { label: labels.awaiting_approval, tone: 'pending' },
  active: { label: labels.active, tone: 'info' },
  redeemed: { label: labels.redeemed, tone: 'progress' },
  paid: { label: labels.paid, tone: 'success' },
  voided: { label: labels.voided, tone: 'neutral', ended: true },
  expired: { label: labels.expired, tone: 'neutral', ended: true },
}

/** What can be decided about a voucher. */
export const voucherButtons: readonly DecisionButton<VoucherAction>[] = [
  { action: 'approve', label: texts.actions.approve, weight: 'first', shortcut: 'a' },
  { action: 'resume', label: texts.actions.resume, weight: 'first', shortcut: 'f' },
  { action: 'restore', label: texts.actions.restore },
  { action: 'transfer_dead', label: texts.actions.transfer_dead },
  { action: 'void', label: texts.actions.void, weight: 'danger', shortcut: 'v' },
]

/** The visible part of a code: its last four digits, where they are known. */
export function codeOf(last4: string | null): string {
  return last4 ? `•••• ${last4}` : MISSING
}

/** How a batch is called: by the beginning of its id, which finds it. */
export function batchName(id: string): string {
  return id.slice(0, 8)
}

/**
 * One voucher, with what can be decided about it. On its batch's page the batch is not named again, and all of the batch
 * are approved together.
 */
export function VoucherCard({ voucher, inBatch = false }: { voucher: AdminVoucher; inBatch?: boolean }) {
  const { redemption } = voucher
  return (
    <article aria-label={voucher.reference} className="flex flex-col rounded-lg border bg-card p-4">
      <div className="mb-3 flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0">
          <h2 className="text-base">{worthOf(voucher)}</h2>
          <p className="font-mono text-xs text-muted-foreground">
            {codeOf(voucher.last4)} · {voucher.reference}
          </p>
        </div>
        <StatusBadge look={voucherLooks[voucher.status]} />
      </div>
      <Facts>
        {inBatch ? null : (
          <>
            <Fact name={texts.batch}>
              <Link
                to="/admin/vouchers/batches/$id"
                params={{ id: voucher.batchId }}
                className={`${textLink} font-mono`}
              >
                {batchName(voucher.batchId)}
              </Link>
            </Fact>
            <Fact name={texts.by}>{voucher.createdBy}</Fact>
            {voucher.approvedBy ? <Fact name={texts.approvedBy}>{voucher.approvedBy}</Fact> : null}
          </>
        )}
        <Fact name={texts.madeAt}>
          <Time at={voucher.createdAt} />
        </Fact>
        <Fact name={texts.expires}>{day(voucher.expiresAt)}</Fact>
        {voucher.endReason ? (
          <Fact name={texts.reasonGiven} wide>
            {voucher.endReason}
          </Fact>
        ) : null}
        {redemption ? (
          <>
            <Fact name={texts.redeemer} wide>
              <Link to="/admin/customers/$id" params={{ id: redemption.userId }} className={textLink}>
                {redemption.customer}
              </Link>
            </Fact>
            <Fact name={texts.pays}>
              <CryptoAmount amount={redemption.cryptoAmount} asset={redemption.cryptoType} />
            </Fact>
            {redemption.attention ? (
              <Fact name={texts.waits} wide>
                {voucherReasons[redemption.attention].title}
                <span className="block text-muted-foreground">
                  {voucherReasons[redemption.attention].todo}
                </span>
              </Fact>
            ) : null}
            {redemption.lastError ? (
              <Fact name={texts.lastError} wide>
                {redemption.lastError}
              </Fact>
            ) : null}
          </>
        ) : null}
      </Facts>
      <div className={rowActs}>
        <RowDecisions
          buttons={voucherButtons}
          actions={voucher.actions.filter((name) => !inBatch || name !== 'approve')}
          row={voucher.reference}
          dialog={(action, close) => <VoucherDecision voucher={voucher} action={action} onClose={close} />}
        />
        {redemption?.workflowUrl ? <WorkflowLink url={redemption.workflowUrl} /> : null}
        {voucher.decision ? <span className="text-sm text-muted-foreground">{texts.underWay}</span> : null}
      </div>
    </article>
  )
}

interface DecideProps {
  voucher: AdminVoucher
  action: VoucherAction
  onClose: () => void
}

/** The dialog of one decision about a voucher. */
export function VoucherDecision({ voucher, action, onClose }: DecideProps) {
  const [evidence, setEvidence] = useState('')
  const dead = action === 'transfer_dead'
  const seen = useSeen('voucher_batch', voucher.batchId, action === 'approve')
  const decide = useDecision(
    (reason) => voucherDecisions[action](voucher, reason, evidence.trim(), seen.version),
    { done: texts.done[action], failed: texts.decisionFailed, failedText: texts.decisionFailedText },
    [['admin-vouchers'], approvalsKey],
    onClose,
  )
  const about = `${voucher.reference} · ${worthOf(voucher)}${voucher.redemption ? ` · ${voucher.redemption.customer}` : ''}. `
  return (
    <DecisionDialog
      title={texts.dialogs[action].title}
      text={about + texts.dialogs[action].text}
      confirm={texts.actions[action]}
      destructive={action === 'void'}
      {...(action === 'approve'
        ? {}
        : {
            reason: {
              label: texts.reason,
              placeholder: texts.reasonPlaceholder,
              presets: action === 'void' ? reasonPresets.voucher : undefined,
            },
          })}
      decision={decide}
      incomplete={seen.incomplete || (dead && evidence.trim() === '')}
      onClose={onClose}
    >
      {seen.facts}
      <WhatChanged error={decide.error} />
      {dead ? (
        <div className="mb-4">
          <Field id="decision-entry" label={texts.evidence} error={fieldMessage(decide.error, 'evidence')}>
            {(field) => (
              <Input
                {...field}
                value={evidence}
                autoComplete="off"
                onChange={(event) => setEvidence(event.target.value)}
              />
            )}
          </Field>
        </div>
      ) : null}
    </DecisionDialog>
  )
}
