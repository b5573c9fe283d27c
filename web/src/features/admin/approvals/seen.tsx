import { useQuery } from '@tanstack/react-query'
import { CircleAlert, FileDiff } from 'lucide-react'
import type { ReactNode } from 'react'
import { LoadingRows, Notice } from '@/components/states/states'
import { HttpError } from '@/lib/http'
import { adminApprovals as texts } from '@/messages/admin-approvals'
import { ApprovalFacts, detailText } from './approval-facts'
import { type ApprovalKind, approvalQuery } from './queries'

interface Seen {
  /** The version that is shown; undefined where nothing is to be approved. */
  version: string | undefined
  /** It is not shown yet, or waits no more. */
  incomplete: boolean
  /** What is shown in the dialog. */
  facts: ReactNode
}

/** What a dialog shows of the approval that it completes: the approval names that version. */
export function useSeen(kind: ApprovalKind, about: string, approves: boolean): Seen {
  const { data, isError } = useQuery({ ...approvalQuery(kind, about), enabled: approves })
  if (!approves) return { version: undefined, incomplete: false, facts: null }
  if (data)
    return {
      version: data.version,
      incomplete: false,
      facts: (
        <div className="mb-4">
          <ApprovalFacts approval={data} />
        </div>
      ),
    }
  return {
    version: undefined,
    incomplete: true,
    facts:
      isError || data === null ? (
        <Notice
          tone="danger"
          icon={CircleAlert}
          title={isError ? texts.loadFailed : texts.gone}
          className="mb-4"
        />
      ) : (
        <LoadingRows rows={2} />
      ),
  }
}

const withoutValue: readonly string[] = ['customer', 'document', 'proposer', 'lines', 'act']

/** What changed since the approver opened the dialog, as the server names it. */
export function WhatChanged({ error }: { error: Error | null }) {
  const changes = error instanceof HttpError ? (error.body?.changes ?? []) : []
  if (changes.length === 0) return null
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
