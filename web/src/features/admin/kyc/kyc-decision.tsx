import { useState } from 'react'
import type { AdminKyc } from '@/api/types.gen'
import { Field } from '@/components/form/field'
import { Select } from '@/components/ui/input'
import { adminKyc as texts } from '@/messages/admin-kyc'
import { reasonPresets } from '@/messages/admin-queue'
import type { DecisionButton } from '../shared/decision-buttons'
import { DecisionDialog } from '../shared/decision-dialog'
import { useDecision } from '../shared/use-decision'
import { FinalSaid } from './final-said'
import { type KycAction, type KycVerdict, kycDecisions } from './queries'

const act = (
  action: KycAction,
  shortcut: string,
  weight?: 'first' | 'danger',
): DecisionButton<KycAction> => ({
  action,
  label: texts.actions[action].button,
  shortcut,
  ...(weight ? { weight } : {}),
})

/** What can be decided about an identity. */
export const kycButtons: readonly DecisionButton<KycAction>[] = [
  act('approve', 'a', 'first'),
  act('ask', 'n'),
  act('hold', 'h'),
  act('release', 'l'),
  act('reject', 'r', 'danger'),
  act('revoke', 'x', 'danger'),
]

const presets: Partial<Record<KycAction, readonly string[]>> = {
  reject: reasonPresets.kycReject,
  hold: reasonPresets.kycHold,
}

interface KycDecisionProps {
  one: Pick<AdminKyc, 'id' | 'customerName' | 'customerEmail' | 'reviewLevel' | 'final'>
  action: KycAction
  onClose: () => void
  /** Called after a decision, not after a proposal. */
  onDone?: (() => void) | undefined
}

/** The dialog of one decision about an identity; each needs a reason. */
export function KycDecision({ one, action, onClose, onDone }: KycDecisionProps) {
  const [level, setLevel] = useState<KycVerdict['level']>(one.reviewLevel)
  const [canRetry, setCanRetry] = useState(true)
  const words = texts.actions[action]
  const proposes = action === 'approve' && one.final !== null
  const decide = useDecision(
    (reason, code) => kycDecisions[action](one.id, { reason, level, canRetry }, code),
    { done: proposes ? texts.proposeDone : words.done, failed: texts.failed, failedText: texts.failedText },
    [['admin-kyc']],
    () => {
      onClose()
      if (!proposes) onDone?.()
    },
    action === 'approve',
  )
  const who = one.customerName || one.customerEmail
  return (
    <DecisionDialog
      title={words.title}
      text={proposes ? texts.proposeText(who) : words.text(who)}
      confirm={proposes ? texts.propose : words.button}
      destructive={action === 'reject' || action === 'revoke'}
      reason={{ label: texts.reason, placeholder: texts.reasonPlaceholder, presets: presets[action] }}
      decision={decide}
      onClose={onClose}
    >
      {proposes ? <FinalSaid final={one.final} className="mb-4 text-sm" /> : null}
      {action === 'approve' ? (
        <div className="mb-4">
          <Field id="kyc-level" label={texts.levelField}>
            {(field) => (
              <Select
                {...field}
                value={level}
                onChange={(event) => setLevel(event.target.value as KycVerdict['level'])}
              >
                <option value="standard">{texts.levels.standard}</option>
                <option value="enhanced">{texts.levels.enhanced}</option>
              </Select>
            )}
          </Field>
        </div>
      ) : null}
      {action === 'reject' ? (
        <label className="mb-4 flex min-h-6 items-center gap-2 text-sm">
          <input
            type="checkbox"
            className="size-4"
            checked={canRetry}
            onChange={(event) => setCanRetry(event.target.checked)}
          />
          {texts.retryField}
        </label>
      ) : null}
    </DecisionDialog>
  )
}
