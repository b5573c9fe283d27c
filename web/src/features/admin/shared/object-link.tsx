import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { textLink } from '@/components/ui/text-link'
import { useSignedInUser } from '@/lib/session'
import { adminAudit, adminLedger } from '@/messages/admin-books'

interface ObjectLinkProps {
  kind: string | null
  id: string | null
  /** What opens the row that it stands in. */
  opens?: boolean
  children: ReactNode
}

/** What something is about, with the way to its page where it has one. */
export function ObjectLink({ kind, id, opens, children }: ObjectLinkProps) {
  const to = id ? pageOf(kind, id) : undefined
  return to ? (
    <Link {...to} className={textLink} data-open={opens || undefined}>
      {children}
    </Link>
  ) : (
    <>{children}</>
  )
}

function pageOf(kind: string | null, id: string) {
  const params = { id }
  switch (kind) {
    case 'order':
      return { to: '/admin/orders/$id', params }
    case 'gift_card':
      return { to: '/admin/gift-cards/$id', params }
    case 'payout':
      return { to: '/admin/payouts/$id', params }
    case 'treasury_move':
      return { to: '/admin/treasury/$id', params }
    case 'kyc':
      return { to: '/admin/kyc/$id', params }
    case 'ticket':
      return { to: '/admin/support/$id', params }
    case 'user':
      return { to: '/admin/customers/$id', params }
    case 'voucher':
      return { to: '/admin/vouchers', search: { q: id } }
    case 'voucher_batch':
      return { to: '/admin/vouchers/batches/$id', params }
    case 'referral':
      return { to: '/admin/referrals' }
    case 'unplaced_money':
      return { to: '/admin/money' }
    case 'recall':
      return { to: '/admin/money', search: { view: 'credited' as const } }
    case 'break':
      return { to: '/admin/reconciliation/$id', params }
    case 'switch':
      return { to: '/admin/switches' }
    case 'payment_method':
    case 'country':
      return { to: '/admin/pricing' }
    default:
      return undefined
  }
}

/** The ways to what was booked for an object and to what was done to it, for those who may read them. */
export function BookLinks({ id, booked = true }: { id: string; booked?: boolean }) {
  const { permissions } = useSignedInUser()
  return (
    <>
      {booked && permissions.includes('read_ledger') ? (
        <>
          {' · '}
          <Link to="/admin/ledger/postings" search={{ object: id }} className={textLink}>
            {adminLedger.title}
          </Link>
        </>
      ) : null}
      {permissions.includes('read_audit') ? (
        <>
          {' · '}
          <Link to="/admin/audit" search={{ object: id }} className={textLink}>
            {adminAudit.title}
          </Link>
        </>
      ) : null}
    </>
  )
}
