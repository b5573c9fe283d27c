import { adminLedger } from '@/messages/admin-books'

/** An account of the ledger in words; a customer's without the id, which stands elsewhere on the page. */
export function accountName(code: string): string {
  const shared = code.replace(/^customer:[0-9a-f-]+:/, 'customers:')
  return adminLedger.accounts[shared] ?? shared
}
