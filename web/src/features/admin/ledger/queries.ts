import { getLedger, getLedgerAccount, getLedgerWords, listPostings } from '@/api/admin.gen'
import { pagedQuery, polledQuery } from '../shared/polled'
import type { LedgerMoment, PostingFilter } from './filters'

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
