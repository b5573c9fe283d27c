import { adminLedger } from '@/messages/admin-books'

/** The name of a ledger account; a customer's without the id, which stands elsewhere on the page. */
export function accountName(code: string): string {
  const shared = code.replace(/^customer:[0-9a-f-]+:/, 'customers:')
  return adminLedger.accounts[shared] ?? shared
}

/** A posting's accounts as accountants write them: `to` is debited, `from` credited (docs/ledger.md). */
export function debitAndCredit({ from, to }: { from: string; to: string }): string {
  return adminLedger.entry(accountName(to), accountName(from))
}
