import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Coins } from 'lucide-react'
import { useState } from 'react'
import type { UnplacedMoney } from '@/api/types.gen'
import { MoreButton } from '@/components/form/more-button'
import { Failed } from '@/components/states/states'
import { StatusBadge } from '@/components/status/badge'
import { Time } from '@/components/status/time'
import { Button } from '@/components/ui/button'
import { Card, CardTitle } from '@/components/ui/card'
import { usd } from '@/lib/format'
import { rowsOf } from '@/lib/paging'
import { useSignedInUser } from '@/lib/session'
import { adminMoney as texts } from '@/messages/admin-money'
import { methodLabels } from '@/messages/common'
import { moneyViews } from './book-filters'
import { Chips } from './chips'
import { RowDecisions } from './decision-buttons'
import { Fact, Facts } from './facts'
import { ListFrame } from './list-frame'
import { MoneyDialog, ProposalDialog } from './money-dialog'
import { ProposalRow } from './money-proposals'
import {
  type MoneyActName,
  type MoneyView,
  moneySummaryQuery,
  openProposalsQuery,
  type ProposalAction,
  unplacedQuery,
} from './money-queries'
import { ObjectLink } from './object-link'

interface MoneyScreenProps {
  view: MoneyView
  onView: (view: MoneyView) => void
}

/** Money that nobody could place, and what waits for a second person. */
export function MoneyScreen({ view, onView }: MoneyScreenProps) {
  const list = useInfiniteQuery(unplacedQuery(view))
  const summary = useQuery(moneySummaryQuery)
  const [opening, setOpening] = useState(false)
  const { permissions } = useSignedInUser()
  return (
    <>
      <ListFrame
        title={texts.title}
        lead={texts.lead}
        list={list}
        summary={summary}
        counters={<Waiting />}
        filters={
          <>
            <Chips
              legend={texts.view}
              value={view}
              onChange={onView}
              chips={moneyViews.map((value) => ({
                value,
                label: texts.views[value],
                count: value === 'open' ? (summary.data?.unplaced ?? null) : null,
              }))}
            />
            {permissions.includes('decide_payments') ? (
              <Button variant="outline" size="sm" onClick={() => setOpening(true)}>
                {texts.actions.open}
              </Button>
            ) : null}
          </>
        }
        filtered={false}
        failed={texts.fetchFailed}
        empty={{ title: texts.empty, filteredHint: texts.emptyHint, firstHint: texts.emptyHint, icon: Coins }}
        card={(money) => <UnplacedCard money={money} />}
      />
      {opening ? <MoneyDialog act="open" id="" about="" onClose={() => setOpening(false)} /> : null}
    </>
  )
}

/** What waits for a second person. */
function Waiting() {
  const open = useInfiniteQuery(openProposalsQuery)
  const rows = rowsOf(open.data?.pages)
  return (
    <Card>
      <CardTitle className="mb-3">{texts.waiting}</CardTitle>
      {open.error ? (
        <Failed title={texts.proposalsFailed} error={open.error} retry={() => void open.refetch()} />
      ) : null}
      {open.isSuccess && rows.length === 0 ? (
        <p className="text-sm text-muted-foreground">{texts.nothingWaits}</p>
      ) : null}
      <ul className="divide-y">
        {rows.map((proposal) => (
          <ProposalRow key={proposal.id} proposal={proposal} />
        ))}
      </ul>
      <MoreButton query={open} />
    </Card>
  )
}

/** One case: what came, what is known of it, and what somebody can do. */
function UnplacedCard({ money }: { money: UnplacedMoney }) {
  const name = `${usd(money.amount)} · ${methodLabels[money.rail] ?? money.rail}`
  return (
    <article aria-label={`${name} ${money.bankReference}`} className="rounded-lg border bg-card p-4">
      <div className="mb-3 flex flex-wrap items-start justify-between gap-3">
        <h2 className="text-base">{name}</h2>
        <StatusBadge
          look={
            money.beingPlaced || money.proposal
              ? { label: money.beingPlaced ? texts.beingPlaced : texts.waiting, tone: 'pending' }
              : {
                  label: texts.statuses[money.status],
                  tone: money.status === 'open' ? 'danger' : 'neutral',
                }
          }
        />
      </div>
      <Facts>
        <Fact name={texts.reference}>{money.bankReference}</Fact>
        <Fact name={texts.on}>{money.receivedOn}</Fact>
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
      </Facts>
      {money.proposal ? (
        <p className="mt-3 text-sm">
          {texts.kinds[money.proposal.kind as keyof typeof texts.kinds]} · {texts.proposed(money.proposal.by)}{' '}
          <q>{money.proposal.reason}</q>
        </p>
      ) : null}
      <CaseActions money={money} name={name} />
    </article>
  )
}

const isDecision = (action: string): action is ProposalAction =>
  action === 'approve' || action === 'reject' || action === 'withdraw'

function CaseActions({ money, name }: { money: UnplacedMoney; name: string }) {
  const actions = money.actions as (ProposalAction | 'place' | 'credit' | 'send_back')[]
  if (actions.length === 0) return null
  return (
    <div className="mt-4 flex flex-wrap items-center gap-3">
      <RowDecisions
        actions={actions}
        labels={texts.actions}
        first={['place', 'approve']}
        refusing={['reject']}
        row={name}
        dialog={(action, close) =>
          isDecision(action) ? (
            <ProposalDialog id={money.proposal?.id ?? ''} action={action} about={name} onClose={close} />
          ) : (
            <MoneyDialog act={action satisfies MoneyActName} id={money.id} about={name} onClose={close} />
          )
        }
      />
    </div>
  )
}
