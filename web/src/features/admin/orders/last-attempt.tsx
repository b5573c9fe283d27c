import { Link } from '@tanstack/react-router'
import type { AdminOrder } from '@/api/types.gen'
import { textLink } from '@/components/ui/text-link'
import { useSignedInUser } from '@/lib/session'
import { adminOrders as texts } from '@/messages/admin-order'
import { attemptText } from './attempt'

/** Why the last attempt failed, and where to go if our money is missing at a provider. */
export function LastAttempt({ order }: { order: AdminOrder }) {
  const { permissions } = useSignedInUser()
  const attempt = attemptText(order)
  if (!attempt) return null
  return (
    <>
      {texts.lastError(attempt.text)}
      {attempt.treasury && permissions.includes('decide_payments') ? (
        <>
          {'. '}
          <Link to="/admin/treasury" className={textLink}>
            {texts.toTreasury}
          </Link>
        </>
      ) : null}
    </>
  )
}
