import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { listAttestations, secondAttestation } from '@/api/admin.gen'
import type { Attestation } from '@/api/types.gen'
import { Usd } from '@/components/money/money'
import { Time } from '@/components/status/time'
import { Button } from '@/components/ui/button'
import { Card, CardTitle } from '@/components/ui/card'
import { rowsOf } from '@/lib/paging'
import { adminApprovals } from '@/messages/admin-approvals'
import { DecisionDialog } from '../shared/decision-dialog'
import { ObjectLink } from '../shared/object-link'
import { pagedQuery } from '../shared/polled'
import { useAct } from '../shared/use-act'

const texts = adminApprovals.statements

const statementsKey = ['admin-attestations']

const statementsQuery = () =>
  pagedQuery([...statementsKey, 'list'], {}, (query, signal) => listAttestations({ query, signal }))

/** Statements of one person that bar that person from releasing value, with the button that confirms one. */
export function Statements() {
  const list = useInfiniteQuery(statementsQuery())
  const [chosen, choose] = useState<Attestation>()
  const rows = rowsOf(list.data?.pages)
  if (rows.length === 0) return null
  return (
    <Card className="mt-6">
      <CardTitle className="mb-1">{texts.title}</CardTitle>
      <p className="mb-3 text-sm text-muted-foreground">{texts.lead}</p>
      <ul className="divide-y text-sm">
        {rows.map((row) => (
          <Statement key={row.id} row={row} onConfirm={() => choose(row)} />
        ))}
      </ul>
      {list.hasNextPage ? (
        <Button
          variant="outline"
          className="mt-3"
          disabled={list.isFetchingNextPage}
          onClick={() => void list.fetchNextPage()}
        >
          {texts.more}
        </Button>
      ) : null}
      {chosen ? <ConfirmStatement row={chosen} onClose={() => choose(undefined)} /> : null}
    </Card>
  )
}

function Statement({ row, onConfirm }: { row: Attestation; onConfirm: () => void }) {
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-2 first:pt-0 last:pb-0">
      <span className="min-w-0 wrap-anywhere">
        <ObjectLink kind={row.subjectKind} id={row.subjectId}>
          <span className="font-medium">{texts.kinds[row.kind]}</span>
        </ObjectLink>
        {row.amount ? (
          <>
            {' · '}
            <Usd amount={row.amount} className="font-medium" />
          </>
        ) : null}
        {' · '}
        <ObjectLink kind="user" id={row.customerId}>
          {row.customerEmail}
        </ObjectLink>
        <span className="block text-muted-foreground">
          {texts.by(row.by)} · <Time at={row.at} /> · {texts.until} <Time at={row.barsUntil} />
        </span>
      </span>
      {row.actions.includes('second') ? (
        <Button variant="outline" size="sm" onClick={onConfirm}>
          {texts.confirm}
        </Button>
      ) : null}
    </li>
  )
}

/** The dialog repeats what is confirmed: the statement, its amount, the customer and who made it. */
function ConfirmStatement({ row, onClose }: { row: Attestation; onClose: () => void }) {
  const decision = useAct((reason) => secondAttestation({ path: { id: row.id }, body: { reason } }), {
    said: () => ({ title: texts.done }),
    failed: texts.failed,
    failedText: texts.failedText,
    toastsRefusal: true,
    changes: [statementsKey],
    onDone: onClose,
  })
  return (
    <DecisionDialog
      title={texts.dialog(texts.kinds[row.kind])}
      text={texts.text(row.amount ? `$${row.amount}` : '', row.customerEmail, row.by)}
      confirm={texts.confirm}
      reason={{ label: texts.reason, placeholder: texts.reasonPlaceholder }}
      decision={decision}
      onClose={onClose}
    />
  )
}
