import { useInfiniteQuery } from '@tanstack/react-query'
import { UserX } from 'lucide-react'
import { useState } from 'react'
import { listClosedCredits, payBackClosedCredit } from '@/api/admin.gen'
import type { ClosedCredit } from '@/api/types.gen'
import { StatusBadge } from '@/components/status/badge'
import type { StatusLook } from '@/components/status/status'
import { Time } from '@/components/status/time'
import { MISSING, titled, usd } from '@/lib/format'
import { fieldMessage } from '@/lib/http'
import { rowsOf } from '@/lib/paging'
import { useSignedInUser } from '@/lib/session'
import { closedCredits as texts } from '@/messages/admin-closed-credits'
import { queue } from '@/messages/admin-queue'
import { restored as restoredTexts } from '@/messages/admin-restored'
import { approvalsKey } from '../approvals/approval-query'
import { useSeen, WhatChanged } from '../approvals/seen'
import { Chips } from '../shared/chips'
import { type DecisionButton, RowDecisions } from '../shared/decision-buttons'
import { DecisionDialog } from '../shared/decision-dialog'
import { Fact, Facts } from '../shared/facts'
import { ListFrame } from '../shared/list-frame'
import { ObjectLink } from '../shared/object-link'
import { pagedQuery } from '../shared/polled'
import { Age, CustomerLink, Opener, RowStatus, rowActs } from '../shared/queue-cells'
import type { Column } from '../shared/queue-table'
import { ReferenceField } from '../shared/reference-field'
import { RestoredNotice, restoredLook, StatementField } from '../shared/restored-notice'
import { RowDetails, useRowWork } from '../shared/row-work'
import { TakesTwo } from '../shared/takes-two'
import { useAct } from '../shared/use-act'
import { type ClosedFilter, closedViews } from './filters'

const creditButtons: readonly DecisionButton<'pay_back'>[] = [
  { action: 'pay_back', label: texts.payBack, weight: 'first', shortcut: 'p' },
]

type ClosedView = (typeof closedViews)[number]

const key = ['admin-closed-credits']

const creditsQuery = (status: ClosedView) =>
  pagedQuery(key, status === 'open' ? {} : { status }, (query, signal) =>
    listClosedCredits({ query, signal }),
  )

interface ClosedCreditsProps {
  filter: ClosedFilter
  onFilter: (filter: ClosedFilter) => void
}

/** Money that came for closed accounts, and what has been sent back of it. */
export function ClosedCreditsScreen({ filter, onFilter }: ClosedCreditsProps) {
  const view = filter.view ?? 'open'
  const list = useInfiniteQuery(creditsQuery(view))
  const hint = view === 'open' ? texts.emptyHint : texts.sentHint
  const work = useRowWork({
    rows: rowsOf(list.data?.pages),
    nameOf,
    buttons: creditButtons,
    may: ({ actions }) => actions,
    links: ({ orderId: id }) =>
      id ? [{ label: texts.order, link: { to: '/admin/orders/$id', params: { id } } }] : [],
    dialog: (credit, action, close) =>
      action === 'details' ? (
        <RowDetails title={nameOf(credit)} onClose={close}>
          <CreditCard credit={credit} />
        </RowDetails>
      ) : (
        <PayBackDialog credit={credit} about={nameOf(credit)} onClose={close} />
      ),
  })
  return (
    <ListFrame
      title={texts.title}
      lead={texts.lead}
      list={list}
      counters={null}
      filters={
        <Chips
          legend={texts.view}
          value={view}
          onChange={(chosen) => onFilter({ ...filter, view: chosen === 'open' ? undefined : chosen })}
          chips={closedViews.map((value) => ({
            value,
            label: texts.views[value],
            count: value === view ? (list.data?.pages[0]?.total ?? null) : null,
          }))}
        />
      }
      filtered={false}
      failed={texts.fetchFailed}
      empty={{ title: texts.empty, filteredHint: hint, firstHint: hint, icon: UserX }}
      card={(credit) => <CreditCard credit={credit} />}
      dense={{ columns: columns((credit) => work.open(credit, 'details')), nameOf }}
      work={work}
    />
  )
}

const nameOf = ({ amount, customerEmail }: ClosedCredit) => `${usd(amount)} · ${customerEmail}`

const columns = (onOpen: (credit: ClosedCredit) => void): readonly Column<ClosedCredit>[] => [
  {
    key: 'order',
    name: queue.reference,
    cell: (credit) => (
      <Opener onOpen={() => onOpen(credit)}>{credit.orderReference || titled(credit.event)}</Opener>
    ),
  },
  {
    key: 'customer',
    name: texts.customer,
    cell: ({ userId, customerEmail }) => <CustomerLink id={userId} name={customerEmail} />,
  },
  {
    key: 'amount',
    name: queue.amount,
    numeric: true,
    cell: ({ amount }) => <span className="font-medium">{usd(amount)}</span>,
  },
  { key: 'how', name: texts.how, cell: ({ event }) => titled(event) },
  { key: 'bank', name: texts.reference, from: 'xl', cell: ({ bankReference }) => bankReference ?? MISSING },
  {
    key: 'age',
    name: queue.age,
    numeric: true,
    cell: ({ createdAt, paidBack }) => <Age since={createdAt} waits={!paidBack} />,
  },
  { key: 'status', name: queue.status, cell: (credit) => <RowStatus look={lookOf(credit)} /> },
]

function lookOf({ paidBack, firstBy, restored }: ClosedCredit): StatusLook {
  if (paidBack) return { label: texts.sent, tone: 'success' }
  const look: StatusLook = firstBy
    ? { label: texts.second, tone: 'pending' }
    : { label: texts.waits, tone: 'danger' }
  return restored ? restoredLook(look) : look
}

/** One credit: its former owner, its origin, and the admins who recorded its return. */
function CreditCard({ credit }: { credit: ClosedCredit }) {
  const name = nameOf(credit)
  const mine = useSignedInUser().email === credit.firstBy && !credit.paidBack
  return (
    <article aria-label={name} className="rounded-lg border bg-card p-4">
      <div className="mb-3 flex flex-wrap items-start justify-between gap-3">
        <h2 className="text-base">{usd(credit.amount)}</h2>
        <StatusBadge look={lookOf(credit)} />
      </div>
      {credit.restored ? <RestoredNotice text={restoredTexts.credit} className="mb-3" /> : null}
      <Facts>
        <Fact name={texts.customer}>
          <ObjectLink kind="user" id={credit.userId}>
            {credit.customerEmail}
          </ObjectLink>
        </Fact>
        <Fact name={texts.how}>{titled(credit.event)}</Fact>
        {credit.orderId ? (
          <Fact name={texts.order}>
            <ObjectLink kind="order" id={credit.orderId}>
              {credit.orderReference}
            </ObjectLink>
          </Fact>
        ) : null}
        <Fact name={texts.came}>
          <Time at={credit.createdAt} />
        </Fact>
        <PaidBack credit={credit} />
      </Facts>
      {mine ? <p className="mt-3 text-sm">{texts.mine}</p> : null}
      {credit.actions.length > 0 ? (
        <div className={rowActs}>
          <RowDecisions
            buttons={creditButtons}
            actions={credit.actions}
            row={name}
            dialog={(_, close) => <PayBackDialog credit={credit} about={name} onClose={close} />}
          />
        </div>
      ) : null}
    </article>
  )
}

/** The record of the transfer back, and its admins. */
function PaidBack({
  credit: { bankReference, firstBy, firstAt, paidBy, paidAt, reason },
}: {
  credit: ClosedCredit
}) {
  if (!bankReference) return null
  return (
    <>
      <Fact name={texts.reference}>{bankReference}</Fact>
      {firstBy && firstAt ? (
        <Fact name={texts.first}>
          {firstBy} · <Time at={firstAt} />
        </Fact>
      ) : null}
      {paidBy && paidAt ? (
        <Fact name={texts.booked}>
          {paidBy} · <Time at={paidAt} />
        </Fact>
      ) : null}
      {reason ? <Fact name={texts.reason}>{reason}</Fact> : null}
    </>
  )
}

interface PayBackProps {
  credit: ClosedCredit
  about: string
  onClose: () => void
}

/** The dialog to record that the bank returned the money. */
function PayBackDialog({ credit, about, onClose }: PayBackProps) {
  const [reference, setReference] = useState('')
  const [statement, setStatement] = useState('')
  const seen = useSeen('closed_credit', credit.id, credit.firstBy !== '')
  const notSent = credit.restored && reference.trim() === ''
  const act = useAct(
    async (reason) =>
      (
        await payBackClosedCredit({
          path: { id: credit.id },
          body: {
            reference: reference.trim(),
            reason,
            version: seen.version ?? '',
            ...(credit.restored ? { statement: statement.trim() } : {}),
          },
        })
      ).data,
    {
      said: ({ paidBack }) => ({
        title: notSent ? texts.notSent : paidBack ? texts.done : texts.half,
      }),
      failed: texts.failed,
      failedText: texts.failedText,
      changes: [key, approvalsKey],
      onDone: onClose,
    },
  )
  return (
    <DecisionDialog
      title={texts.dialogTitle}
      text={`${about}. ${credit.firstBy ? texts.textSecond : texts.text}`}
      confirm={texts.payBack}
      reason={{ label: texts.reason, placeholder: texts.placeholder }}
      incomplete={seen.incomplete || (credit.restored ? statement : reference).trim() === ''}
      decision={act}
      onClose={onClose}
    >
      {seen.facts}
      <WhatChanged error={act.error} />
      {credit.takesTwo && !credit.firstBy ? <TakesTwo>{texts.takesTwo}</TakesTwo> : null}
      <div className="mb-4 space-y-4">
        {credit.restored ? (
          <StatementField id="pay-back-statement" value={statement} onChange={setStatement} />
        ) : null}
        <ReferenceField
          id="pay-back-reference"
          label={texts.field}
          hint={credit.restored ? texts.hintRestored : texts.hint}
          error={fieldMessage(act.error, 'reference')}
          value={reference}
          onChange={setReference}
        />
      </div>
    </DecisionDialog>
  )
}
