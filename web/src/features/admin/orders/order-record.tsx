import type { ReactNode } from 'react'
import type {
  AdminOrderDetail,
  AdminSurplus,
  LedgerPosting,
  OrderEvent,
  OrderMail,
  TakenDecision as TakenDecisionView,
} from '@/api/types.gen'
import { Copyable } from '@/components/form/copyable'
import { Time } from '@/components/status/time'
import { Cell, ColumnHead, HeadRow, Row, Table, TableBody } from '@/components/ui/table'
import { eventSentence } from '@/features/orders/story'
import { crypto, longTime, shortTime, spaced, titled, usd } from '@/lib/format'
import { mailKinds } from '@/messages/admin-mails'
import { adminMoney } from '@/messages/admin-money'
import { attentionTexts, adminOrder as texts } from '@/messages/admin-order'
import { ReceiptActs, ReturnActs, returnNote } from '../money/receipt-acts'
import { accountName } from '../shared/account-name'
import { calendarDay } from '../shared/calendar-day'
import { mailFate } from '../shared/mail-fate'
import { ObjectLink } from '../shared/object-link'
import { StepTime } from '../shared/step-time'

/** Everything that happened, oldest first, with what customers do not see marked as internal. */
export function Story({ order }: { order: AdminOrderDetail }) {
  return (
    <ol className="space-y-3">
      {order.events.map((event, index) => (
        <EventRow key={event.id} event={event} after={order.events[index - 1]?.at} />
      ))}
    </ol>
  )
}

function EventRow({ event, after }: { event: OrderEvent; after: string | undefined }) {
  const by = texts.by[event.actor]
  return (
    <li className="grid gap-x-4 xs:grid-cols-[auto_minmax(0,1fr)] text-sm md:text-dense">
      <span className="text-muted-foreground">
        <StepTime at={event.at} after={after} />
      </span>
      <span className="wrap-anywhere">
        {eventSentence(event)}
        {detailOf(event)}
        {by ? <span className="text-muted-foreground"> · {by}</span> : null}
        {event.internal ? (
          <span className="ml-2 rounded-full bg-neutral-tint px-2 py-0.5 text-xs text-neutral-text">
            {texts.internal}
          </span>
        ) : null}
      </span>
    </li>
  )
}

/** The details for staff beside the sentence: the reason, the step, the provider's code. */
function detailOf(event: OrderEvent): string {
  const said = (name: string) => (typeof event.data[name] === 'string' ? (event.data[name] as string) : '')
  // A money event says its reason in its own sentence.
  const reason = event.kind.startsWith('money_') ? '' : said('reason')
  const parts = [
    reason ? (attentionTexts[reason]?.title ?? spaced(reason)) : '',
    spaced(said('step')),
    said('code'),
    said('error'),
  ].filter(Boolean)
  return parts.length > 0 ? ` (${parts.join(', ')})` : ''
}

export function Decisions({ decisions }: { decisions: readonly TakenDecisionView[] }) {
  if (decisions.length === 0) return <Nothing>{texts.noDecisions}</Nothing>
  return (
    <ul className="divide-y text-sm md:text-dense">
      {decisions.map((decision) => (
        <li key={decision.id} className="py-3 first:pt-0 last:pb-0">
          <p className="flex flex-wrap justify-between gap-x-4">
            <span className="font-medium">
              {texts.decisionKinds[decision.kind] ?? spaced(decision.kind)}
              <span className="font-normal text-muted-foreground">
                {' '}
                · {decision.outcome ? spaced(decision.outcome) : texts.working}
              </span>
            </span>
            <span className="text-muted-foreground">
              {decision.actor} · <Time at={decision.createdAt} />
            </span>
          </p>
          {decision.reason ? <p className="mt-1 wrap-anywhere">{decision.reason}</p> : null}
        </li>
      ))}
    </ul>
  )
}

/** Money that came and went beside the payment itself. */
export function MoneyMoves({ order }: { order: AdminOrderDetail }) {
  const { receipts, returns, surpluses, refunds, disputes } = order
  if (receipts.length + refunds.length + disputes.length === 0) return <Nothing>{texts.noMoney}</Nothing>
  return (
    <ul className="divide-y text-sm md:text-dense">
      {receipts.map((receipt) => (
        <Move
          key={receipt.id}
          name={texts.receipt(receipt.bankReference)}
          note={[calendarDay(receipt.receivedOn), receipt.reversed ? adminMoney.reversed : '']
            .filter(Boolean)
            .join(' · ')}
          at={receipt.at}
          amount={receipt.amount}
          acts={<ReceiptActs receipt={receipt} />}
        />
      ))}
      {returns.map((gone) => (
        <Move
          key={gone.id}
          name={adminMoney.returned(gone.kind, gone.code)}
          note={returnNote(gone)}
          at={gone.at}
          amount={`-${gone.amount}`}
          acts={<ReturnActs gone={gone} />}
        />
      ))}
      {surpluses.map((surplus) => (
        <Move
          key={surplus.at}
          name={texts.surplus[surplus.status] ?? spaced(surplus.status)}
          note={surplusNote(surplus)}
          at={surplus.settledAt ?? surplus.at}
          amount={surplus.amount}
          acts={
            surplus.unplacedId && surplus.status === 'returning' ? (
              <ObjectLink kind="unplaced_money" id={surplus.unplacedId}>
                {texts.sendSurplusBack}
              </ObjectLink>
            ) : null
          }
        />
      ))}
      {refunds.map((refund) => (
        <Move
          key={refund.id}
          name={texts.refund(refund.destination)}
          note={[refund.status, refund.providerId].filter(Boolean).join(' · ')}
          at={refund.at}
          amount={refund.amount}
        />
      ))}
      {disputes.map((dispute) => (
        <Move
          key={dispute.id}
          name={texts.dispute}
          note={[
            spaced(dispute.status),
            dispute.reason,
            dispute.dueBy ? texts.dueBy(longTime(dispute.dueBy)) : '',
          ]
            .filter(Boolean)
            .join(' · ')}
          at={dispute.at}
          amount={dispute.amount}
        />
      ))}
    </ul>
  )
}

/** Until when a surplus is held, or why it only goes back to its sender. */
function surplusNote({ status, heldUntil, reason }: AdminSurplus): string {
  if (reason) return texts.surplusOnly[reason] ?? spaced(reason)
  return status === 'held' ? texts.surplusUntil(shortTime(heldUntil)) : ''
}

/** The mails about the order, their recipients, and whether they arrived. */
export function Mails({ mails }: { mails: readonly OrderMail[] }) {
  if (mails.length === 0) return <Nothing>{texts.noMails}</Nothing>
  return (
    <ul className="divide-y text-sm md:text-dense">
      {mails.map((mail) => (
        <li key={mail.id} className="py-3 first:pt-0 last:pb-0">
          <p className="flex flex-wrap justify-between gap-x-4">
            <span className="font-medium">{mailKinds[mail.kind] ?? spaced(mail.kind)}</span>
            <span className="text-muted-foreground">
              <Time at={mail.sentAt ?? mail.givenUpAt ?? mail.createdAt} />
            </span>
          </p>
          <p className="text-muted-foreground wrap-anywhere">
            {mail.staff ? texts.mailToStaff(mail.to) : mail.to} · {mailFate(mail)}
          </p>
        </li>
      ))}
    </ul>
  )
}

interface MoveProps {
  name: string
  note: string
  at: string
  amount: string
  acts?: ReactNode
}

function Move({ name, note, at, amount, acts }: MoveProps) {
  return (
    <li className="flex flex-wrap items-baseline justify-between gap-x-4 py-3 first:pt-0 last:pb-0">
      <span>
        <span className="font-medium">{name}</span>
        {note ? <span className="text-muted-foreground"> · {note}</span> : null}
      </span>
      <span className="tabular-nums">
        <span className="text-muted-foreground">
          <Time at={at} />
        </span>{' '}
        <span className="ml-3 font-medium">{usd(amount)}</span>
      </span>
      {acts}
    </li>
  )
}

export function Purchases({ order }: { order: AdminOrderDetail }) {
  return (
    <ul className="space-y-3 text-sm md:text-dense">
      {order.purchases.map((purchase) => (
        <li key={purchase.generation} className="min-w-0">
          <p>{texts.purchase(crypto(purchase.asked), order.asset, usd(purchase.limitPrice))}</p>
          <p className="text-muted-foreground">
            {purchase.done
              ? texts.filled(`${crypto(purchase.filled)} ${order.asset}`, usd(purchase.cost))
              : texts.open}
          </p>
          <Copyable text={purchase.exchangeId ?? purchase.clientId} what={texts.purchases} />
        </li>
      ))}
    </ul>
  )
}

export function Transfers({ order }: { order: AdminOrderDetail }) {
  return (
    <ul className="space-y-3 text-sm md:text-dense">
      {order.transfers.map((transfer) => (
        <li key={transfer.id} className="min-w-0">
          <p>
            {crypto(transfer.amount)} {order.asset} ·{' '}
            <span className="font-medium">{titled(transfer.status)}</span> · <Time at={transfer.createdAt} />
          </p>
          <Copyable
            text={transfer.transferId ?? transfer.approvalId ?? transfer.sequenceId}
            what={texts.transfers}
          />
        </li>
      ))}
    </ul>
  )
}

/** An amount in its own currency: dollars with their sign, coin with its name. */
function amountOf(posting: LedgerPosting): string {
  return posting.currency === 'USD' ? usd(posting.amount) : `${crypto(posting.amount)} ${posting.currency}`
}

export function Ledger({ postings }: { postings: readonly LedgerPosting[] }) {
  if (postings.length === 0) return <Nothing>{texts.noLedger}</Nothing>
  const { columns } = texts
  return (
    <Table caption={texts.ledgerCaption} needs="little">
      <HeadRow>
        <ColumnHead>{columns.at}</ColumnHead>
        <ColumnHead>{columns.event}</ColumnHead>
        <ColumnHead>{columns.debit}</ColumnHead>
        <ColumnHead>{columns.credit}</ColumnHead>
        <ColumnHead numeric>{columns.amount}</ColumnHead>
      </HeadRow>
      <TableBody>
        {postings.map((posting) => (
          <Row key={posting.id}>
            <Cell label={columns.at} className="tabled:whitespace-nowrap">
              <Time at={posting.at} />
            </Cell>
            <Cell label={columns.event}>{titled(posting.event)}</Cell>
            <Cell label={columns.debit}>{accountName(posting.to)}</Cell>
            <Cell label={columns.credit}>{accountName(posting.from)}</Cell>
            <Cell label={columns.amount} numeric className="tabled:whitespace-nowrap">
              {amountOf(posting)}
            </Cell>
          </Row>
        ))}
      </TableBody>
    </Table>
  )
}

function Nothing({ children }: { children: string }) {
  return <p className="text-sm text-muted-foreground">{children}</p>
}
