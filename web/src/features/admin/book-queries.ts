import {
  getAdminTransactionsSummary,
  getAuditSummary,
  getLedger,
  getLedgerAccount,
  getLedgerWords,
  listAdminTransactions,
  listAudit,
  listPendingGiftCards,
  listPostings,
} from '@/api/admin.gen'
import type { AuditFilter, LedgerMoment, PostingFilter, TradeFilter } from './book-filters'
import { pagedQuery, polledQuery } from './polled'

export const tradesQuery = (filter: TradeFilter) =>
  pagedQuery(['admin-transactions', 'list'], filter, (query, signal) =>
    listAdminTransactions({ query, signal }),
  )

export const tradesSummaryQuery = (filter: TradeFilter) =>
  polledQuery(
    ['admin-transactions', 'summary', filter],
    (signal) => getAdminTransactionsSummary({ query: filter, signal }),
    { keep: true },
  )

export const ledgerQuery = (moment: LedgerMoment) =>
  polledQuery(['admin-ledger', 'at', moment], (signal) => getLedger({ query: moment, signal }), {
    keep: true,
  })

export const ledgerWordsQuery = polledQuery(['admin-ledger', 'words'], (signal) => getLedgerWords({ signal }))

export const postingsQuery = (filter: PostingFilter) =>
  pagedQuery(['admin-ledger', 'postings'], filter, (query, signal) => listPostings({ query, signal }))

export const accountQuery = ({ account = '', currency, from, to }: PostingFilter) => {
  const query = { account, currency, from, to }
  return {
    ...polledQuery(['admin-ledger', 'account', query], (signal) => getLedgerAccount({ query, signal })),
    enabled: account !== '',
  }
}

export const auditQuery = (filter: AuditFilter) =>
  pagedQuery(['admin-audit', 'list'], filter, (query, signal) => listAudit({ query, signal }))

export const auditSummaryQuery = polledQuery(['admin-audit', 'summary'], (signal) =>
  getAuditSummary({ signal }),
)

/** SPEC §9: the older panel shows so many. */
const REVIEWS = 5

export const pendingCardsQuery = polledQuery(['admin-gift-cards', 'pending'], (signal) =>
  listPendingGiftCards({ query: { limit: REVIEWS }, signal }),
)
