import {
  addMoneyDocument,
  approveMoney,
  creditMoney,
  getMoneySummary,
  listMoneyProposals,
  listUnplaced,
  openUnplaced,
  placeMoney,
  proposeJournal,
  recallMoney,
  reinstateReturn,
  rejectMoney,
  returnReceipt,
  reverseReceipt,
  sendBackMoney,
} from '@/api/admin.gen'
import type { JournalEntryLine, UnplacedMoney } from '@/api/types.gen'
import { withCode } from '@/features/two-factor/step-up'
import { pagedQuery, polledQuery } from '../shared/polled'

const root = 'admin-money'
export const moneyKey = [root]

export type MoneyView = UnplacedMoney['status']

export const unplacedQuery = (view: MoneyView) =>
  pagedQuery([root, 'unplaced'], view === 'open' ? {} : { status: view }, (query, signal) =>
    listUnplaced({ query, signal }),
  )

export const moneySummaryQuery = polledQuery([root, 'summary'], (signal) => getMoneySummary({ signal }))

export const journalsQuery = pagedQuery(
  [root, 'journals'],
  { kind: 'journal' as const, status: 'all' as const },
  (query, signal) => listMoneyProposals({ query, signal }),
)

/** What was typed into a dialog, by the name of its field. */
export type Entered = Readonly<Record<string, string>>

const word = (entered: Entered, name: string) => (entered[name] ?? '').trim()

/** What the bank's statement shows of restored money, where it was asked for. */
const statementOf = (entered: Entered) =>
  word(entered, 'statement') ? { statement: word(entered, 'statement') } : {}

/** Each way to begin something about money, by the id of what it is about. */
export const moneyActs = {
  open: (_: string, e: Entered, note: string) =>
    openUnplaced({
      body: {
        amount: word(e, 'amount'),
        bankReference: word(e, 'bankReference'),
        receivedOn: word(e, 'receivedOn'),
        rail: word(e, 'rail'),
        sender: word(e, 'sender'),
        note: word(e, 'note') || note,
      },
    }),
  place: (id: string, e: Entered, reason: string) =>
    placeMoney({ path: { id }, body: { order: word(e, 'order'), reason, ...statementOf(e) } }),
  credit: (id: string, e: Entered, reason: string) =>
    creditMoney({ path: { id }, body: { customer: word(e, 'customer'), reason, ...statementOf(e) } }),
  send_back: (id: string, e: Entered, reason: string) =>
    sendBackMoney({
      path: { id },
      body: { bankReference: word(e, 'bankReference'), sentOn: word(e, 'sentOn'), reason },
    }),
  reverse: (id: string, e: Entered, reason: string) =>
    reverseReceipt({
      path: { id },
      body: {
        reason,
        ...(e.where === 'gone' ? {} : { kept: true }),
        ...(e.where === 'order' ? { order: word(e, 'order') } : {}),
      },
    }),
  return: (id: string, e: Entered, reason: string) =>
    returnReceipt({
      path: { id },
      body: {
        amount: word(e, 'amount'),
        bankReference: word(e, 'bankReference'),
        returnedOn: word(e, 'returnedOn'),
        code: word(e, 'code'),
        reason,
      },
    }),
  recall: (id: string, e: Entered, reason: string) =>
    recallMoney({
      path: { id },
      body: {
        amount: word(e, 'amount'),
        bankReference: word(e, 'bankReference'),
        returnedOn: word(e, 'returnedOn'),
        code: word(e, 'code'),
        reason,
      },
    }),
  reinstate: (id: string, e: Entered, reason: string) =>
    reinstateReturn({
      path: { id },
      body: { bankReference: word(e, 'bankReference'), reinstatedOn: word(e, 'reinstatedOn'), reason },
    }),
} as const

export type MoneyActName = keyof typeof moneyActs

export type ProposalAction = 'approve' | 'reject' | 'withdraw'

/** One decision about a proposal. */
export async function decideMoney(
  id: string,
  action: ProposalAction,
  reason: string,
  version = '',
  code?: string,
) {
  const path = { id }
  if (action === 'approve') return (await approveMoney({ path, body: { version }, ...withCode(code) })).data
  return (await rejectMoney({ path, body: { reason } })).data
}

/** A manual entry with the picture of its document, which is kept first. */
export async function enterJournal(lines: JournalEntryLine[], file: File, reason: string) {
  const { data } = await addMoneyDocument({ body: { file } })
  return (await proposeJournal({ body: { lines, documentId: data.id, reason } })).data
}
