import { useQuery } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { LoadingRows } from '@/components/states/states'
import { HttpError } from '@/lib/http'
import { type ApprovalKind, approvalQuery } from './approval-query'

// Most pages of the back office have such a dialog, and few of their visits open one.
const parts = () => import('./seen-parts')
const SeenFacts = lazy(() => parts().then(({ SeenFacts: part }) => ({ default: part })))
const SeenNothing = lazy(() => parts().then(({ SeenNothing: part }) => ({ default: part })))
const Changes = lazy(() => parts().then(({ Changes: part }) => ({ default: part })))

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
  const [shown, setShown] = useState<string>()
  if (!approves) return { version: undefined, incomplete: false, facts: null }
  const waiting = <LoadingRows rows={2} />
  if (data)
    return {
      version: data.version,
      incomplete: shown !== data.version, // the facts have code of their own, which may arrive after them
      facts: (
        <Suspense fallback={waiting}>
          <SeenFacts approval={data} onShown={setShown} />
        </Suspense>
      ),
    }
  const nothing = isError || data === null
  return {
    version: undefined,
    incomplete: true,
    facts: nothing ? (
      <Suspense fallback={waiting}>
        <SeenNothing failed={isError} />
      </Suspense>
    ) : (
      waiting
    ),
  }
}

/** What changed since the approver opened the dialog, as the server names it. */
export function WhatChanged({ error }: { error: Error | null }) {
  const changes = error instanceof HttpError ? (error.body?.changes ?? []) : []
  if (changes.length === 0) return null
  return (
    <Suspense fallback={null}>
      <Changes changes={changes} />
    </Suspense>
  )
}
