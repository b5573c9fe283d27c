import { CircleAlert, FileDiff } from 'lucide-react'
import { useEffect } from 'react'
import type { Approval } from '@/api/types.gen'
import { Notice } from '@/components/states/states'
import { adminApprovals as texts } from '@/messages/admin-approvals'
import { ApprovalFacts, detailText } from './approval-facts'

interface SeenFactsProps {
  approval: Approval
  /** Called with the version of the facts once they are on the screen. */
  onShown: (version: string) => void
}

/** The facts of an approval in the dialog that completes it. */
export function SeenFacts({ approval, onShown }: SeenFactsProps) {
  const { version } = approval
  useEffect(() => onShown(version), [version, onShown])
  return (
    <div className="mb-4">
      <ApprovalFacts approval={approval} />
    </div>
  )
}

/** Shown if the facts could not be read, or the approval is no longer open. */
export function SeenNothing({ failed }: { failed: boolean }) {
  return (
    <Notice
      tone="danger"
      icon={CircleAlert}
      title={failed ? texts.loadFailed : texts.gone}
      className="mb-4"
    />
  )
}

const withoutValue: readonly string[] = ['customer', 'document', 'proposer', 'lines', 'act']

/** The fields that changed since the approver opened the dialog. */
export function Changes({ changes }: { changes: readonly { field: string; was: string; is: string }[] }) {
  return (
    <Notice tone="pending" icon={FileDiff} title={texts.changed} className="mt-4">
      <ul>
        {changes.map(({ field, was, is }) => (
          <li key={field}>
            {texts.facts[field] ?? field}:{' '}
            {withoutValue.includes(field)
              ? texts.changedOnly
              : texts.was(detailText(field, was), detailText(field, is))}
          </li>
        ))}
      </ul>
    </Notice>
  )
}
