import { useQuery } from '@tanstack/react-query'
import { CircleAlert } from 'lucide-react'
import type { TreasuryMoveDetail, TreasuryMoveEvent } from '@/api/types.gen'
import { Notice } from '@/components/states/states'
import { Story } from '@/components/status/story'
import { Time } from '@/components/status/time'
import { Card, CardTitle } from '@/components/ui/card'
import { figure, spaced } from '@/lib/format'
import { adminTreasury as texts } from '@/messages/admin-treasury'
import { debitAndCredit } from '../shared/account-name'
import { type DecisionButton, DecisionButtons } from '../shared/decision-buttons'
import { Fact, Facts } from '../shared/facts'
import { BookLinks } from '../shared/object-link'
import { Outside } from '../shared/outside'
import { RecordFrame, RecordHead } from '../shared/record-frame'
import { stepTime } from '../shared/step-time'
import { amountOf, type MoveAction, moveLooks, moveQuery, networkName } from './queries'
import { MoveDecision } from './treasury-decision'

/** One move of coin: its state, its history, its postings, and the possible decisions. */
export function TreasuryMoveScreen({ id }: { id: string }) {
  return (
    <RecordFrame query={useQuery(moveQuery(id))} title={texts.one} failed={texts.oneFailed}>
      {(move) => <Loaded move={move} />}
    </RecordFrame>
  )
}

const buttons: readonly DecisionButton<MoveAction>[] = [
  { action: 'approve', label: texts.approve, shortcut: 'a', weight: 'first' },
  { action: 'reject', label: texts.reject, shortcut: 'r', weight: 'danger' },
  { action: 'withdraw', label: texts.withdraw, shortcut: 'w' },
  { action: 'adopt', label: texts.adopt, shortcut: 'd', weight: 'first' },
  { action: 'resend', label: texts.resend, shortcut: 's', weight: 'danger' },
  { action: 'accept', label: texts.accept, shortcut: 'k', weight: 'first' },
  { action: 'recheck', label: texts.recheck, shortcut: 'l' },
  { action: 'give_up', label: texts.give_up, shortcut: 'g', weight: 'danger' },
]

function Loaded({ move }: { move: TreasuryMoveDetail }) {
  return (
    <>
      <RecordHead
        title={`${texts.one} · ${amountOf(move.amount, move.asset)}`}
        lead={
          <>
            <span className="font-mono">{move.reference}</span> · {texts.walletOn(networkName(move.network))}
            <BookLinks id={move.id} />
          </>
        }
        look={moveLooks[move.status]}
        list={{ to: '/admin/treasury', title: texts.title }}
      />
      <div className="space-y-6">
        <Hints move={move} />
        <DecisionButtons
          underWay={false}
          buttons={buttons.filter(({ action }) => move.actions.includes(action))}
          dialog={(action, close) => <MoveDecision move={move} action={action} onClose={close} />}
        />
        <div className="grid items-start gap-6 xl:grid-cols-2">
          <Card>
            <CardTitle className="mb-4">{texts.one}</CardTitle>
            <MoveFacts move={move} />
          </Card>
          <Card>
            <CardTitle className="mb-4">{texts.story}</CardTitle>
            <Story timeOf={stepTime} events={move.events} tell={tell(move.asset)} />
            <Books move={move} />
          </Card>
        </div>
      </div>
    </>
  )
}

const problemOf = (code: string) => texts.problems[code] ?? spaced(code)

/** One step in a line: what, by whom, and why. */
const tell =
  (asset: string) =>
  ({ kind, actor, code, amount, reason, reference }: TreasuryMoveEvent): string => {
    const more = [
      actor,
      code ? problemOf(code) : '',
      amount ? amountOf(amount, asset) : '',
      reference ?? '',
      reason ?? '',
    ].filter(Boolean)
    return [texts.events[kind], ...more].join(' · ')
  }

/** What holds the move up, and why the expected buttons are not available to this admin. */
function Hints({ move }: { move: TreasuryMoveDetail }) {
  const own = move.status === 'proposed' && move.actions.includes('withdraw')
  return (
    <>
      {move.status === 'unknown' ? (
        <Notice tone="danger" icon={CircleAlert} role="alert" title={texts.unknownTitle}>
          {texts.unknownText}
        </Notice>
      ) : null}
      {move.differing !== null ? (
        <Notice tone="danger" icon={CircleAlert} role="alert" title={texts.differsTitle}>
          {(move.fee === null ? texts.differsThere : texts.differsHere)(amountOf(move.differing, move.asset))}
        </Notice>
      ) : null}
      {move.problem && move.differing === null ? (
        <Notice tone="pending" icon={CircleAlert} role="status" title={problemOf(move.problem)} />
      ) : null}
      {own ? <Notice tone="info" icon={CircleAlert} role="status" title={texts.own} /> : null}
    </>
  )
}

function MoveFacts({ move }: { move: TreasuryMoveDetail }) {
  return (
    <>
      <Facts>
        <Fact name={texts.from}>{texts.exchange}</Fact>
        <Fact name={texts.to}>{texts.walletOn(networkName(move.network))}</Fact>
        <Fact name={texts.amount}>{amountOf(move.amount, move.asset)}</Fact>
        {move.fee === null ? null : <Fact name={texts.fee}>{amountOf(move.fee, move.asset)}</Fact>}
        {move.arrived === null ? null : (
          <Fact name={texts.arrived}>
            {amountOf(move.arrived, move.asset)} · <Time at={move.arrivedAt} />
          </Fact>
        )}
        <Fact name={texts.proposer}>{move.proposer ?? texts.bySystem}</Fact>
        <Fact name={texts.created}>
          <Time at={move.createdAt} />
        </Fact>
        {move.decider ? <Fact name={texts.decider}>{move.decider}</Fact> : null}
        {move.withdrawal ? <Fact name={texts.withdrawal}>{move.withdrawal}</Fact> : null}
        <Fact name={texts.reason} wide>
          {move.reason}
        </Fact>
        {move.answer ? (
          <Fact name={texts.answer} wide>
            {move.answer}
          </Fact>
        ) : null}
        {move.txid ? (
          <Fact name={texts.txid} wide>
            <span className="font-mono">{move.txid}</span>
          </Fact>
        ) : null}
      </Facts>
      <div className="flex flex-wrap gap-x-4">
        <Outside href={move.txUrl} text={texts.explorer} />
        <Outside href={move.workflowUrl} text={texts.workflow} />
      </div>
    </>
  )
}

function Books({ move }: { move: TreasuryMoveDetail }) {
  return (
    <>
      <h3 className="mt-6 mb-2 text-sm font-semibold">{texts.books}</h3>
      {move.postings.length === 0 ? (
        <p className="text-sm text-muted-foreground">{texts.noPostings}</p>
      ) : (
        <ul className="space-y-2 text-sm">
          {move.postings.map((posting) => (
            <li key={posting.id} className="flex flex-wrap justify-between gap-x-4">
              <span className="min-w-0 wrap-anywhere">{debitAndCredit(posting)}</span>
              <span className="font-medium tabular-nums">
                {figure(posting.amount)} {posting.currency}
              </span>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
