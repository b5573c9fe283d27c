import {
  approveTreasuryMove,
  getTreasury,
  getTreasuryHistory,
  getTreasuryMove,
  listTreasuryMoves,
  proposeTreasuryMove,
  rejectTreasuryMove,
  resolveTreasuryMove,
  withdrawTreasuryMove,
} from '@/api/admin.gen'
import type { NewTreasuryMove, TreasuryMove } from '@/api/types.gen'
import type { StatusLook } from '@/components/status/status'
import { withCode } from '@/features/two-factor/step-up'
import { crypto, usd } from '@/lib/format'
import { adminTreasury as texts } from '@/messages/admin-treasury'
import { pagedQuery, polledQuery } from '../shared/polled'
import type { MoveFilter } from './filters'

export const treasuryKey = ['admin-treasury'] as const

export const treasuryQuery = polledQuery([...treasuryKey, 'now'], (signal) => getTreasury({ signal }))

export const historyQuery = (span: NonNullable<MoveFilter['span']>) =>
  polledQuery(
    [...treasuryKey, 'history', span],
    (signal) => getTreasuryHistory({ query: { span }, signal }),
    {
      keep: true,
    },
  )

export const movesQuery = ({ status, asset }: MoveFilter) =>
  pagedQuery(
    [...treasuryKey, 'moves'],
    { ...(status ? { status } : {}), ...(asset ? { asset } : {}) },
    (query, signal) => listTreasuryMoves({ query, signal }),
  )

export const moveQuery = (id: string) =>
  polledQuery([...treasuryKey, 'move', id], (signal) => getTreasuryMove({ path: { id }, signal }))

export const moveLooks: Record<TreasuryMove['status'], StatusLook> = {
  proposed: { label: texts.statuses.proposed, tone: 'pending' },
  approved: { label: texts.statuses.approved, tone: 'info' },
  sending: { label: texts.statuses.sending, tone: 'progress' },
  unknown: { label: texts.statuses.unknown, tone: 'danger' },
  sent: { label: texts.statuses.sent, tone: 'progress' },
  differs: { label: texts.statuses.differs, tone: 'danger' },
  arrived: { label: texts.statuses.arrived, tone: 'success' },
  rejected: { label: texts.statuses.rejected, tone: 'danger' },
  withdrawn: { label: texts.statuses.withdrawn, tone: 'neutral', ended: true },
  failed: { label: texts.statuses.failed, tone: 'danger' },
}

export const moveActions = [
  'approve',
  'reject',
  'withdraw',
  'adopt',
  'resend',
  'give_up',
  'accept',
  'recheck',
] as const

export type MoveAction = (typeof moveActions)[number]

/** The input of a decision. */
export interface Said {
  reason: string
  reference: string
  /** Of what is approved, as it was shown. */
  version?: string | undefined
}

export async function propose(body: NewTreasuryMove): Promise<TreasuryMove> {
  return (await proposeTreasuryMove({ body })).data
}

/** Executes a decision; those that move coin require a fresh code from an admin with a second factor. */
export async function decideMove(
  id: string,
  action: MoveAction,
  { reason, reference, version }: Said,
  code?: string,
): Promise<TreasuryMove> {
  const path = { id }
  switch (action) {
    case 'approve':
      return (await approveTreasuryMove({ path, body: { version: version ?? '' }, ...withCode(code) })).data
    case 'reject':
      return (await rejectTreasuryMove({ path, body: { reason } })).data
    case 'withdraw':
      return (await withdrawTreasuryMove({ path, body: { reason } })).data
    default: {
      const body = { outcome: action, reason, ...(reference ? { reference } : {}) }
      return (await resolveTreasuryMove({ path, body, ...withCode(code) })).data
    }
  }
}

/** A formatted amount in any currency. */
export function amountOf(amount: string | null | undefined, currency: string): string {
  return currency === 'USD' ? usd(amount) : `${crypto(amount)} ${currency}`
}

export function networkName(network: string): string {
  return texts.networks[network] ?? network
}

/** A move in one line, for the dialogs. */
export function whatMoves({ reference, amount, asset, network }: TreasuryMove): string {
  return texts.what(reference, amountOf(amount, asset), networkName(network))
}
