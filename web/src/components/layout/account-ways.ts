import {
  ArrowLeftRight,
  BadgeCheck,
  Coins,
  Gift,
  Landmark,
  LifeBuoy,
  ListOrdered,
  Settings,
  ShieldUser,
  Ticket,
  Users,
  Wallet,
} from 'lucide-react'
import type { User } from '@/lib/session'
import { account } from '@/messages/account'
import { layout } from '@/messages/layout'
import type { HeaderEntry } from './navigation'

const memberLinks: readonly HeaderEntry[] = [
  { label: layout.buy, to: '/buy', icon: Coins },
  { label: layout.wallet, to: '/wallet', icon: Wallet },
  { label: layout.transactions, to: '/transactions', icon: ArrowLeftRight },
  { label: layout.verification, to: '/kyc', icon: BadgeCheck },
]

/** The header's own entries (specification §2). */
export function entriesFor(user: User): readonly HeaderEntry[] {
  return user.isAdmin
    ? [...memberLinks, { label: layout.admin, to: '/admin', icon: ShieldUser }]
    : memberLinks
}

interface Group {
  title: string
  entries: readonly HeaderEntry[]
}

const memberGroups: readonly Group[] = [
  {
    title: account.yours,
    entries: [
      { label: layout.orders, to: '/orders', icon: ListOrdered },
      { label: account.balance, to: '/balance', icon: Landmark },
      { label: account.giftCards, to: '/gift-cards', icon: Gift, rail: 'gift_card' },
      { label: account.vouchers, to: '/vouchers', icon: Ticket, rail: 'voucher' },
      { label: layout.referral, to: '/referral', icon: Users },
    ],
  },
  {
    title: account.settingsAndHelp,
    entries: [
      { label: account.settings, to: '/settings', icon: Settings },
      { label: account.support, to: '/support', icon: LifeBuoy },
    ],
  },
]

/** The queues of the back office beside the permission without which nothing can be decided there. */
const queues: readonly (HeaderEntry & { needs: string })[] = [
  { label: account.queues.payments, to: '/admin/payments', needs: 'decide_payments' },
  { label: account.queues.orders, to: '/admin/orders', needs: 'decide_orders' },
  { label: account.queues.giftCards, to: '/admin/gift-cards', needs: 'review_customers' },
  { label: account.queues.payouts, to: '/admin/payouts', needs: 'decide_payments' },
  { label: account.queues.vouchers, to: '/admin/vouchers', needs: 'configure' },
  { label: account.queues.kyc, to: '/admin/kyc', needs: 'review_customers' },
  { label: account.queues.rewards, to: '/admin/referrals', needs: 'review_customers' },
  { label: account.queues.tickets, to: '/admin/support', needs: 'answer_tickets' },
  { label: account.queues.factors, to: '/admin/security', needs: 'lift_factors' },
]

/**
 * The links of a person's menu: for every account its own pages, for staff also the queues that they may
 * decide.
 */
export function groupsFor(user: User): readonly Group[] {
  if (!user.isAdmin) return memberGroups
  const own = queues.filter(({ needs }) => user.permissions.includes(needs))
  return [...memberGroups, { title: account.office, entries: own }]
}
