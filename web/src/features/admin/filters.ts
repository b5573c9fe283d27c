import { oneOf, text } from '@/lib/search'

/** The filters of the back office's lists, as they stand in the address; 'all' is the absence of one. */
export const paymentStatuses = ['pending', 'approved', 'declined'] as const
export const orderStatuses = [
  'pending',
  'payment_approved',
  'fulfilling',
  'filled',
  'sent',
  'failed',
] as const

/** What every queue's address may say besides: which columns its rows have. */
export interface QueueView {
  cols?: string | undefined
}

const colsOf = (search: Record<string, unknown>) => text(search.cols)?.slice(0, 200)

/** A filter without what only its page needs. */
export function asked<F extends QueueView>({ cols: _, ...filter }: F): Omit<F, 'cols'> {
  return filter
}

/**
 * The status a queue shows: without one in the address, what can be acted on; a search looks through all.
 */
export function shownStatus<S extends string, W extends string>(
  status: S | undefined,
  q: string | undefined,
  waiting: W,
): S | W | 'all' {
  return status ?? (q ? 'all' : waiting)
}

/** Whether the list shows what can be decided now: its address names no status. */
export const opensOnWork = ({ status, q }: { status?: string | undefined; q?: string | undefined }) =>
  !status && !q

/** The status of a queue's address that is one of its own, for a chip. */
export const chipOf = <S extends string>(status: S | 'all'): S | undefined =>
  status === 'all' ? undefined : (status as S)

export interface PaymentFilter extends QueueView {
  /** Left out: what can be decided now. */
  status?: (typeof paymentStatuses)[number] | 'all' | undefined
  method?: string | undefined
}

export interface AdminOrderFilter extends QueueView {
  /** Left out, as all the others: what can be acted on now. */
  status?: (typeof orderStatuses)[number] | 'all' | undefined
  /** Only orders that wait for a person. */
  attention?: true | undefined
  /** Only orders about which something waits for a second person. */
  proposed?: true | undefined
  q?: string | undefined
}

export function parsePaymentFilter(search: Record<string, unknown>): PaymentFilter {
  return {
    status: oneOf([...paymentStatuses, 'all'], search.status),
    method: text(search.method)?.slice(0, 32),
    cols: colsOf(search),
  }
}

export function parseAdminOrderFilter(search: Record<string, unknown>): AdminOrderFilter {
  return {
    cols: colsOf(search),
    status: oneOf([...orderStatuses, 'all'], search.status),
    attention: String(search.attention) === 'true' ? true : undefined,
    proposed: String(search.proposed) === 'true' ? true : undefined,
    q: text(search.q)?.slice(0, 100),
  }
}

/** The list's address also says which order is open beside it. */
export interface AdminOrdersSearch extends AdminOrderFilter {
  open?: string | undefined
}

export function parseAdminOrdersSearch(search: Record<string, unknown>): AdminOrdersSearch {
  return { ...parseAdminOrderFilter(search), open: text(search.open)?.slice(0, 36) }
}

export const giftCardStatuses = [
  'received',
  'in_review',
  'approved',
  'realised',
  'rejected',
  'expired',
] as const

export interface GiftCardFilter extends QueueView {
  status?: (typeof giftCardStatuses)[number] | 'all' | undefined
  q?: string | undefined
}

export function parseGiftCardFilter(search: Record<string, unknown>): GiftCardFilter {
  return {
    status: oneOf([...giftCardStatuses, 'all'], search.status),
    q: text(search.q)?.slice(0, 100),
    cols: colsOf(search),
  }
}

export const ticketStatuses = ['open', 'in_progress', 'closed'] as const

export const ticketDesks = ['mine', 'nobody'] as const
export const ticketSubjects = ['general', 'transaction', 'account', 'technical', 'kyc', 'voucher'] as const

export interface TicketFilter extends QueueView {
  status?: (typeof ticketStatuses)[number] | 'all' | undefined
  desk?: (typeof ticketDesks)[number] | undefined
  subject?: (typeof ticketSubjects)[number] | undefined
  q?: string | undefined
}

export function parseTicketFilter(search: Record<string, unknown>): TicketFilter {
  return {
    cols: colsOf(search),
    status: oneOf([...ticketStatuses, 'all'], search.status),
    desk: oneOf(ticketDesks, search.desk),
    subject: oneOf(ticketSubjects, search.subject),
    q: text(search.q)?.slice(0, 100),
  }
}

/**
 * What waits for a decision: there one leads to the next. Elsewhere the page stays, or a second press would be about
 * somebody else.
 */
export const waitingCards: readonly GiftCardFilter['status'][] = [undefined, 'in_review', 'approved']
export const waitingKyc: readonly KycFilter['standing'][] = [undefined, 'on_hold', 'pending']

export const kycStandings = ['on_hold', 'pending', 'retry', 'rejected', 'approved', 'not_started'] as const

export interface KycFilter extends QueueView {
  standing?: (typeof kycStandings)[number] | 'all' | undefined
  q?: string | undefined
}

export function parseKycFilter(search: Record<string, unknown>): KycFilter {
  return {
    standing: oneOf([...kycStandings, 'all'], search.standing),
    q: text(search.q)?.slice(0, 100),
    cols: colsOf(search),
  }
}

export const rewardStatuses = ['held', 'active', 'rewarded', 'refused', 'clawed_back'] as const

export interface RewardFilter extends QueueView {
  /** Left out: those that are held. */
  status?: (typeof rewardStatuses)[number] | 'all' | undefined
}

export function parseRewardFilter(search: Record<string, unknown>): RewardFilter {
  return { status: oneOf([...rewardStatuses, 'all'], search.status), cols: colsOf(search) }
}

export const voucherStates = [
  'waiting',
  'awaiting_approval',
  'active',
  'redeemed',
  'paid',
  'voided',
  'expired',
] as const

export const voucherCurrencies = ['USD', 'BTC', 'ETH'] as const

export interface VoucherFilter extends QueueView {
  /** Left out: what can be acted on now. */
  status?: (typeof voucherStates)[number] | 'all' | undefined
  currency?: (typeof voucherCurrencies)[number] | undefined
  batch?: string | undefined
  q?: string | undefined
}

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

export function parseVoucherFilter(search: Record<string, unknown>): VoucherFilter {
  const batch = text(search.batch)
  return {
    status: oneOf([...voucherStates, 'all'], search.status),
    currency: oneOf(voucherCurrencies, search.currency),
    batch: batch && uuid.test(batch) ? batch : undefined,
    cols: colsOf(search),
    q: text(search.q)?.slice(0, 100),
  }
}

/** A batch's page shows its own vouchers, of one state or of all. */
export interface BatchFilter {
  status?: (typeof voucherStates)[number] | undefined
}

export function parseBatchFilter(search: Record<string, unknown>): BatchFilter {
  return { status: oneOf(voucherStates, search.status) }
}

export const payoutStatuses = ['requested', 'approved', 'paid', 'rejected', 'cancelled', 'returned'] as const

export interface PayoutFilter extends QueueView {
  status?: (typeof payoutStatuses)[number] | 'all' | undefined
  q?: string | undefined
}

export function parsePayoutFilter(search: Record<string, unknown>): PayoutFilter {
  return {
    status: oneOf([...payoutStatuses, 'all'], search.status),
    q: text(search.q)?.slice(0, 100),
    cols: colsOf(search),
  }
}

export const moveStatuses = [
  'proposed',
  'approved',
  'sending',
  'unknown',
  'sent',
  'differs',
  'arrived',
  'rejected',
  'withdrawn',
  'failed',
] as const
export const moveAssets = ['BTC', 'ETH', 'USDT', 'USDC'] as const

export const treasurySpans = ['day', 'week', 'month', 'quarter'] as const

/** What narrows the list of moves, and how far back the history goes. */
export interface MoveFilter {
  status?: (typeof moveStatuses)[number] | undefined
  asset?: (typeof moveAssets)[number] | undefined
  span?: (typeof treasurySpans)[number] | undefined
}

export function parseMoveFilter(search: Record<string, unknown>): MoveFilter {
  return {
    status: oneOf(moveStatuses, search.status),
    asset: oneOf(moveAssets, search.asset),
    span: oneOf(treasurySpans, search.span),
  }
}

export const pricingTabs = ['payment-methods', 'volume-tiers', 'kyc-levels', 'locations'] as const

export type PricingTab = (typeof pricingTabs)[number]

export function parsePricingTab(search: Record<string, unknown>): { tab?: PricingTab | undefined } {
  return { tab: oneOf(pricingTabs, search.tab) }
}

export const riskViews = ['open', 'closed', 'rules', 'lists'] as const

export type RiskView = (typeof riskViews)[number]

/** Which part of the page is shown: left out, the first. */
export interface RiskFilter extends QueueView {
  view?: Exclude<RiskView, 'open'> | undefined
}

export function parseRiskFilter(search: Record<string, unknown>): RiskFilter {
  return { view: oneOf(['closed', 'rules', 'lists'], search.view), cols: colsOf(search) }
}

export const moneyViews = ['open', 'placed', 'credited', 'sent_back'] as const

/** Where money that belonged to no order stands: left out, it waits. */
export interface MoneyFilter extends QueueView {
  view?: Exclude<(typeof moneyViews)[number], 'open'> | undefined
}

export function parseMoneyFilter(search: Record<string, unknown>): MoneyFilter {
  return { view: oneOf(['placed', 'credited', 'sent_back'], search.view), cols: colsOf(search) }
}

export const closedViews = ['open', 'sent_back'] as const

/** Whether money of closed accounts went back: left out, it waits. */
export interface ClosedFilter extends QueueView {
  view?: 'sent_back' | undefined
}

export function parseClosedFilter(search: Record<string, unknown>): ClosedFilter {
  return { view: oneOf(['sent_back'], search.view), cols: colsOf(search) }
}

export const customerKyc = ['not_started', 'pending', 'verified', 'enhanced'] as const
export const volumeTiers = ['bronze', 'silver', 'gold', 'platinum'] as const

export interface CustomerFilter {
  kyc?: (typeof customerKyc)[number] | undefined
  tier?: (typeof volumeTiers)[number] | undefined
  q?: string | undefined
}

export function parseCustomerFilter(search: Record<string, unknown>): CustomerFilter {
  return {
    kyc: oneOf(customerKyc, search.kyc),
    tier: oneOf(volumeTiers, search.tier),
    q: text(search.q)?.slice(0, 100),
  }
}

export const breakViews = ['open', 'closed'] as const
export const breakHolders = ['stripe', 'kraken', 'bitgo'] as const

export interface BreakFilter extends QueueView {
  view?: (typeof breakViews)[number] | undefined
  holder?: (typeof breakHolders)[number] | undefined
}

export function parseBreakFilter(search: Record<string, unknown>): BreakFilter {
  return {
    view: oneOf(breakViews, search.view),
    holder: oneOf(breakHolders, search.holder),
    cols: colsOf(search),
  }
}

export const teamRoles = ['support', 'compliance', 'finance', 'admin'] as const

export interface TeamFilter {
  role?: (typeof teamRoles)[number] | undefined
  q?: string | undefined
}

export function parseTeamFilter(search: Record<string, unknown>): TeamFilter {
  return { role: oneOf(teamRoles, search.role), q: text(search.q)?.slice(0, 100) }
}
