import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Coins } from 'lucide-react'
import { useState } from 'react'
import type { UnplacedMoney } from '@/api/types.gen'
import { MoreButton } from '@/components/form/more-button'
import { Failed } from '@/components/states/states'
import { StatusBadge } from '@/components/status/badge'
import type { StatusLook } from '@/components/status/status'
import { Time } from '@/components/status/time'
import { Button } from '@/components/ui/button'
import { Card, CardTitle } from '@/components/ui/card'
import { usd } from '@/lib/format'
import { rowsOf } from '@/lib/paging'
import { useSignedInUser } from '@/lib/session'
import { adminMoney as texts } from '@/messages/admin-money'
import { queue } from '@/messages/admin-queue'
import { restored as restoredTexts } from '@/messages/admin-restored'
import { methodLabels } from '@/messages/common'
import { ApprovalList } from '../approvals/approval-rows'
import { approvalsQuery } from '../approvals/queries'
import { calendarDay } from '../shared/calendar-day'
import { Chips } from '../shared/chips'
import { type DecisionButton, RowDecisions } from '../shared/decision-buttons'
import { Fact, Facts } from '../shared/facts'
import { ListFrame } from '../shared/list-frame'
import { ObjectLink } from '../shared/object-link'
import { Age, Opener, RowStatus, rowActs } from '../shared/queue-cells'
import type { Column } from '../shared/queue-table'
import { RestoredNotice, restoredLook } from '../shared/restored-notice'
import { RowDetails, useRowWork } from '../shared/row-work'
import { type MoneyFilter, moneyViews } from './filters'
import { MoneyDialog, ProposalDialog } from './money-dialog'
import { moneyAnswers } from './money-proposals'
import { type MoneyActName, moneySummaryQuery, type ProposalAction, unplacedQuery } from './queries'
import { ReturnActs, recallNote } from './receipt-acts'

interface MoneyScreenProps {
  filter: MoneyFilter
  onFilter: (filter: MoneyFilter) => void
}

/** Money without an owner, and the proposals that wait for a second admin. */
export function MoneyScreen({ filter, onFilter }: MoneyScreenProps) {
  const view = filter.view ?? 'open'
  const list = useInfiniteQuery(unplacedQuery(view))
  const summary = useQuery(moneySummaryQuery)
  const [opening, setOpening] = useState(false)
  const { permissions } = useSignedInUser()
  const work = useRowWork({
    rows: rowsOf(list.data?.pages),
    nameOf: caseName,
    buttons: caseButtons,
    may: ({ actions }) => actions,
    dialog: (money, action, close) =>
      action === 'details' ? (
        <RowDetails title={money.bankReference} onClose={close}>
          <UnplacedCard money={money} />
        </RowDetails>
      ) : (
        <CaseDialog money={money} action={action} onClose={close} />
      ),
  })
  return (
    <>
      <ListFrame
        title={texts.title}
        lead={texts.lead}
        list={list}
        summary={summary}
        counters={<Waiting />}
        filters={
          <Chips
            legend={texts.view}
            value={view}
            onChange={(chosen) => onFilter({ ...filter, view: chosen === 'open' ? undefined : chosen })}
            chips={moneyViews.map((value) => ({
              value,
              label: texts.views[value],
              count: value === 'open' ? (summary.data?.unplaced ?? null) : null,
            }))}
          />
        }
        aside={
          permissions.includes('decide_payments') ? (
            <Button variant="outline" size="sm" onClick={() => setOpening(true)}>
              {texts.actions.open}
            </Button>
          ) : null
        }
        filtered={false}
        failed={texts.fetchFailed}
        empty={{ title: texts.empty, filteredHint: texts.emptyHint, firstHint: texts.emptyHint, icon: Coins }}
        card={(money) => <UnplacedCard money={money} />}
        dense={{ columns: columns((money) => work.open(money, 'details')), nameOf: caseName }}
        work={work}
      />
      {opening ? <MoneyDialog act="open" id="" about="" onClose={() => setOpening(false)} /> : null}
    </>
  )
}

/** The proposals that wait for a second admin. */
function Waiting() {
  const open = useInfiniteQuery(approvalsQuery({ view: 'all', kind: 'money_proposal' }))
  const rows = rowsOf(open.data?.pages)
  return (
    <Card>
      <CardTitle className="mb-3">{texts.waiting}</CardTitle>
      {open.error ? (
        <Failed title={texts.proposalsFailed} error={open.error} retry={() => void open.refetch()} />
      ) : null}
      {open.data && rows.length === 0 ? (
        <p className="text-sm text-muted-foreground">{texts.nothingWaits}</p>
      ) : null}
      <ApprovalList title={texts.waiting} rows={rows} />
      <MoreButton query={open} />
    </Card>
  )
}

const railOf = ({ rail }: UnplacedMoney) => methodLabels[rail] ?? rail
const caseName = (money: UnplacedMoney) => `${usd(money.amount)} · ${railOf(money)}`

function caseLook({ beingPlaced, proposal, status, restored }: UnplacedMoney): StatusLook {
  if (beingPlaced || proposal)
    return { label: beingPlaced ? texts.beingPlaced : texts.waiting, tone: 'pending' }
  const look: StatusLook = { label: texts.statuses[status], tone: status === 'open' ? 'danger' : 'neutral' }
  return restored ? restoredLook(look) : look
}

const columns = (onOpen: (money: UnplacedMoney) => void): readonly Column<UnplacedMoney>[] => [
  {
    key: 'reference',
    name: texts.reference,
    cell: (money) => <Opener onOpen={() => onOpen(money)}>{money.bankReference}</Opener>,
  },
  {
    key: 'amount',
    name: queue.amount,
    numeric: true,
    cell: ({ amount }) => <span className="font-medium">{usd(amount)}</span>,
  },
  { key: 'rail', name: texts.fields.rail, cell: railOf },
  { key: 'sender', name: queue.sender, cell: ({ sender }) => sender || texts.none },
  { key: 'on', name: texts.on, from: 'xl', cell: ({ receivedOn }) => calendarDay(receivedOn) },
  { key: 'by', name: texts.openedBy, from: '2xl', cell: ({ openedBy }) => openedBy },
  {
    key: 'age',
    name: queue.age,
    numeric: true,
    cell: ({ createdAt, status }) => <Age since={createdAt} waits={status === 'open'} />,
  },
  { key: 'status', name: queue.status, cell: (money) => <RowStatus look={caseLook(money)} /> },
]

/** One case: what was received, what is known of it, and the possible acts. */
function UnplacedCard({ money }: { money: UnplacedMoney }) {
  const name = caseName(money)
  return (
    <article aria-label={`${name} ${money.bankReference}`} className="rounded-lg border bg-card p-4">
      <div className="mb-3 flex flex-wrap items-start justify-between gap-3">
        <h2 className="text-base">{name}</h2>
        <StatusBadge look={caseLook(money)} />
      </div>
      {money.restored ? <RestoredNotice text={restoredTexts.money} className="mb-3" /> : null}
      <Facts>
        <Fact name={texts.reference}>{money.bankReference}</Fact>
        <Fact name={texts.on}>{calendarDay(money.receivedOn)}</Fact>
        <Fact name={texts.sender}>{money.sender || texts.none}</Fact>
        <Fact name={texts.openedBy}>
          {money.openedBy} · <Time at={money.createdAt} />
        </Fact>
        {money.note ? <Fact name={texts.note}>{money.note}</Fact> : null}
        {money.fromOrderId ? (
          <Fact name={texts.from}>
            <ObjectLink kind="order" id={money.fromOrderId}>
              {money.fromReference}
            </ObjectLink>
          </Fact>
        ) : null}
        {money.orderId ? (
          <Fact name={texts.order}>
            <ObjectLink kind="order" id={money.orderId}>
              {money.orderReference}
            </ObjectLink>
          </Fact>
        ) : null}
        {money.customerId ? (
          <Fact name={texts.customer}>
            <ObjectLink kind="user" id={money.customerId}>
              {money.customerEmail}
            </ObjectLink>
          </Fact>
        ) : null}
        {money.sentReference ? <Fact name={texts.sentReference}>{money.sentReference}</Fact> : null}
        {money.returns.map((gone) => (
          <Fact key={gone.id} name={texts.returned('return', gone.code)}>
            {usd(gone.amount)} · {recallNote(gone)}
            <ReturnActs gone={{ ...gone, kind: 'return' }} />
          </Fact>
        ))}
      </Facts>
      {money.proposal ? (
        <p className="mt-3 text-sm">
          {texts.kinds[money.proposal.kind as keyof typeof texts.kinds]} · {texts.proposed(money.proposal.by)}{' '}
          <q>{money.proposal.reason}</q>
        </p>
      ) : null}
      <CaseActions money={money} />
    </article>
  )
}

type CaseAction = ProposalAction | Extract<MoneyActName, 'place' | 'credit' | 'send_back' | 'recall'>

const caseButtons: readonly DecisionButton<CaseAction>[] = [
  { action: 'place', label: texts.actions.place, weight: 'first', shortcut: 'p' },
  { action: 'credit', label: texts.actions.credit, shortcut: 'c' },
  { action: 'send_back', label: texts.actions.send_back, shortcut: 's' },
  { action: 'recall', label: texts.actions.recall },
  ...moneyAnswers,
]

const isDecision = (action: string): action is ProposalAction =>
  moneyAnswers.some((answer) => answer.action === action)

function CaseActions({ money }: { money: UnplacedMoney }) {
  if (money.actions.length === 0) return null
  return (
    <div className={rowActs}>
      <RowDecisions
        buttons={caseButtons}
        actions={money.actions}
        row={caseName(money)}
        dialog={(action, close) => <CaseDialog money={money} action={action} onClose={close} />}
      />
    </div>
  )
}

interface CaseDialogProps {
  money: UnplacedMoney
  action: CaseAction
  onClose: () => void
}

/** The dialog of one act about a case, or of the answer to what was proposed about it. */
function CaseDialog({ money, action, onClose }: CaseDialogProps) {
  const about = caseName(money)
  return isDecision(action) ? (
    <ProposalDialog id={money.proposal?.id ?? ''} action={action} about={about} onClose={onClose} />
  ) : (
    <MoneyDialog
      act={action}
      id={money.id}
      about={about}
      restored={money.restored}
      {...(action === 'recall' ? { amount: money.returnable } : {})}
      onClose={onClose}
    />
  )
}
