import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleAlert, UsersRound } from 'lucide-react'
import { useState } from 'react'
import type { AdminPayoutDetail } from '@/api/types.gen'
import { Usd } from '@/components/money/money'
import { Notice } from '@/components/states/states'
import { Story } from '@/components/status/story'
import { Time } from '@/components/status/time'
import { Card, CardTitle } from '@/components/ui/card'
import { textLink } from '@/components/ui/text-link'
import { usd } from '@/lib/format'
import { useSignedInUser } from '@/lib/session'
import { adminPayouts as texts } from '@/messages/admin-payouts'
import { records } from '@/messages/admin-records'
import { restored } from '@/messages/admin-restored'
import { payoutStory } from '@/messages/payouts'
import { Checks } from '../shared/checks'
import { allowed, DecisionButtons, keyHints } from '../shared/decision-buttons'
import { Fact, Facts } from '../shared/facts'
import { Outside } from '../shared/outside'
import { QueueWalk, useQueueWork } from '../shared/queue-walk'
import { RecordFrame, RecordHead, RecordLead, Stack, Stacks } from '../shared/record-frame'
import { Records } from '../shared/records'
import { RestoredNotice, StatementField } from '../shared/restored-notice'
import { REVEAL_KEY, Revealed, SealedCard } from '../shared/sealed-card'
import { stepTime } from '../shared/step-time'
import type { PayoutFilter } from './filters'
import { PayoutDecision, payoutButtons } from './payout-decision'
import { accountOf, adminPayoutQuery, adminPayoutsQuery, payoutLook, revealAccount } from './queries'

/** One payout with everything staff may see of it, and every button they have. */
export function AdminPayoutScreen({ id, filter }: { id: string; filter: PayoutFilter }) {
  return (
    <RecordFrame query={useQuery(adminPayoutQuery(id))} title={texts.one} failed={texts.fetchFailed}>
      {(payout) => <Loaded key={payout.id} payout={payout} filter={filter} />}
    </RecordFrame>
  )
}

function Loaded({ payout, filter }: { payout: AdminPayoutDetail; filter: PayoutFilter }) {
  const work = useQueueWork(useInfiniteQuery(adminPayoutsQuery(filter)), payout.id, '/admin/payouts', filter)
  const awaited = allowed(payoutButtons, payout.actions)
  return (
    <>
      <RecordHead
        title={`${texts.one} · ${usd(payout.amount)}`}
        lead={<RecordLead record={payout} />}
        look={payoutLook(payout)}
        list={{ to: '/admin/payouts', title: texts.title, search: filter }}
      />
      <div className="space-y-6">
        {payout.restored ? <RestoredNotice text={restored.payout} /> : null}
        <Hint payout={payout} />
        <ReturnProposed payout={payout} />
        <QueueWalk work={work} others={[...keyHints(awaited), { key: REVEAL_KEY, label: records.lookKey }]}>
          <DecisionButtons
            underWay={Boolean(payout.decision)}
            buttons={awaited}
            dialog={(action, close) => <PayoutDecision payout={payout} action={action} onClose={close} />}
          />
        </QueueWalk>
        <Stacks>
          <Stack>
            <Card>
              <CardTitle className="mb-4">{texts.one}</CardTitle>
              <PayoutFacts payout={payout} />
            </Card>
            <BankAccount payout={payout} />
            <Card>
              <CardTitle className="mb-4">{records.story}</CardTitle>
              <Story timeOf={stepTime} events={payout.events} tell={(event) => payoutStory[event.kind]} />
            </Card>
          </Stack>
          <Stack>
            <Checks
              checks={payout.checks}
              say={({ name, count, result }) => texts.check[name](count, result)}
            />
            <Records decisions={payout.decisions} postings={payout.postings} />
          </Stack>
        </Stacks>
      </div>
    </>
  )
}

/** The destination account, on demand. That of a restored payout takes what the bank's statement shows. */
function BankAccount({ payout }: { payout: AdminPayoutDetail }) {
  const [statement, setStatement] = useState('')
  return (
    <SealedCard
      title={texts.bank}
      lead={payout.accountDestroyed ? texts.destroyed : texts.sealed}
      destroyed={payout.accountDestroyed}
      mayReveal={payout.actions.includes('reveal')}
      reveal={(code) => revealAccount(payout.id, statement.trim(), code)}
      failed={texts.revealFailed}
      record={adminPayoutQuery(payout.id).queryKey}
      incomplete={payout.restored && statement.trim() === ''}
      field={
        payout.restored ? (
          <StatementField id="reveal-statement" value={statement} onChange={setStatement} />
        ) : null
      }
    >
      {(account) => (
        <Revealed
          values={[
            [texts.holder, account.accountHolder],
            [texts.routing, account.routingNumber],
            [texts.number, account.accountNumber],
            [texts.iban, account.iban],
          ]}
        />
      )}
    </SealedCard>
  )
}

/** Why the expected buttons are not available to this admin. */
function Hint({ payout }: { payout: AdminPayoutDetail }) {
  const mine = useSignedInUser().id === payout.userId
  const second = payout.status === 'requested' && payout.approvals > 0
  if (!mine && !second) return null
  return <Notice tone="pending" icon={CircleAlert} role="status" title={mine ? texts.own : texts.second} />
}

/** A return that waits for a second admin, and the page on which it is decided. */
function ReturnProposed({ payout: { proposal } }: { payout: AdminPayoutDetail }) {
  const reads = useSignedInUser().permissions.includes('read_ledger')
  if (!proposal) return null
  return (
    <Notice tone="pending" icon={UsersRound} role="status" title={texts.returnProposed(proposal.by)}>
      <q>{proposal.reason}</q> {texts.returnWaits}{' '}
      {reads ? (
        <Link to="/admin/money" className={textLink}>
          {texts.returnLook}
        </Link>
      ) : null}
    </Notice>
  )
}

function PayoutFacts({ payout }: { payout: AdminPayoutDetail }) {
  return (
    <>
      {payout.holderDiffers ? (
        <Notice
          tone="danger"
          icon={CircleAlert}
          title={texts.holderDiffers(payout.customerName || payout.customerEmail)}
          className="mb-4"
        />
      ) : null}
      <Facts>
        <Fact name={texts.customer} wide>
          <Link to="/admin/customers/$id" params={{ id: payout.userId }} className={textLink}>
            {payout.customerEmail}
          </Link>
        </Fact>
        <Fact name={texts.amount}>
          <Usd amount={payout.amount} />
        </Fact>
        <Fact name={texts.account}>{accountOf(payout)}</Fact>
        <Fact name={texts.approvals}>{texts.approvalsOf(payout.approvals, payout.approvalsNeeded)}</Fact>
        <Fact name={texts.asked}>
          <Time at={payout.createdAt} />
        </Fact>
        {payout.paidAt ? (
          <Fact name={texts.paidAt}>
            <Time at={payout.paidAt} />
          </Fact>
        ) : null}
        {payout.bankReference ? <Fact name={texts.bankReference}>{payout.bankReference}</Fact> : null}
        {payout.returnableUntil ? (
          <Fact name={texts.returnable}>
            <Time at={payout.returnableUntil} />
          </Fact>
        ) : null}
        {payout.reason ? (
          <Fact name={texts.reason} wide>
            {payout.reason}
          </Fact>
        ) : null}
      </Facts>
      <Outside href={payout.workflowUrl} text={records.workflow} />
    </>
  )
}
