import {
  ArrowRightLeft,
  BadgePercent,
  CirclePause,
  Coins,
  CreditCard,
  FileCheck,
  Gift,
  IdCard,
  KeyRound,
  Landmark,
  LayoutDashboard,
  type LucideIcon,
  MessageCircle,
  PackageCheck,
  Scale,
  ScrollText,
  ShieldAlert,
  Stamp,
  Ticket,
  UserRound,
  Users,
  UsersRound,
  UserX,
  Vault,
} from 'lucide-react'
import type { PlatformQueue } from '@/api/types.gen'
import { adminNav } from '@/messages/admin-nav'

export interface Section {
  to: string
  label: string
  icon: LucideIcon
  /** What its list needs (api/router.go): who may not read it is not led there. */
  needs: string
  /** The queues that are worked off there. */
  queues?: readonly PlatformQueue['name'][]
}

export interface SectionGroup {
  title: string
  sections: readonly Section[]
}

const READ = 'read_customers'
const { groups } = adminNav

/** The back office's pages, in the order of their use. */
const sectionGroups: readonly SectionGroup[] = [
  {
    title: groups.work,
    sections: [
      { to: '/admin', label: adminNav.overview, icon: LayoutDashboard, needs: READ },
      {
        to: '/admin/approvals',
        label: adminNav.approvals,
        icon: Stamp,
        needs: READ,
        queues: ['approvals'],
      },
      {
        to: '/admin/payments',
        label: adminNav.payments,
        icon: CreditCard,
        needs: READ,
        queues: ['payments'],
      },
      {
        to: '/admin/orders',
        label: adminNav.orders,
        icon: PackageCheck,
        needs: READ,
        queues: ['actionable_orders'],
      },
      { to: '/admin/gift-cards', label: adminNav.giftCards, icon: Gift, needs: READ, queues: ['gift_cards'] },
      {
        to: '/admin/payouts',
        label: adminNav.payouts,
        icon: Landmark,
        needs: READ,
        queues: ['payouts', 'transfers'],
      },
      { to: '/admin/kyc', label: adminNav.kyc, icon: IdCard, needs: READ, queues: ['kyc'] },
      {
        to: '/admin/support',
        label: adminNav.support,
        icon: MessageCircle,
        needs: READ,
        queues: ['tickets'],
      },
      { to: '/admin/risk', label: adminNav.risk, icon: ShieldAlert, needs: READ, queues: ['risk'] },
      {
        to: '/admin/security',
        label: adminNav.security,
        icon: KeyRound,
        needs: 'lift_factors',
        queues: ['recoveries'],
      },
    ],
  },
  {
    title: groups.people,
    sections: [
      { to: '/admin/customers', label: adminNav.customers, icon: UserRound, needs: READ },
      { to: '/admin/vouchers', label: adminNav.vouchers, icon: Ticket, needs: READ, queues: ['vouchers'] },
      { to: '/admin/referrals', label: adminNav.referrals, icon: Users, needs: READ, queues: ['rewards'] },
    ],
  },
  {
    title: groups.money,
    sections: [
      { to: '/admin/transactions', label: adminNav.transactions, icon: ArrowRightLeft, needs: READ },
      {
        to: '/admin/money',
        label: adminNav.money,
        icon: Coins,
        needs: 'read_ledger',
        queues: ['unplaced', 'money_proposals'],
      },
      {
        to: '/admin/closed-credits',
        label: adminNav.closedCredits,
        icon: UserX,
        needs: 'decide_payments',
        queues: ['closed_credits'],
      },
      {
        to: '/admin/treasury',
        label: adminNav.treasury,
        icon: Vault,
        needs: 'decide_payments',
        queues: ['treasury'],
      },
      { to: '/admin/ledger', label: adminNav.ledger, icon: Scale, needs: 'read_ledger' },
      {
        to: '/admin/reconciliation',
        label: adminNav.reconciliation,
        icon: FileCheck,
        needs: 'read_ledger',
        queues: ['breaks'],
      },
      { to: '/admin/audit', label: adminNav.audit, icon: ScrollText, needs: 'read_audit' },
    ],
  },
  {
    title: groups.settings,
    sections: [
      { to: '/admin/pricing', label: adminNav.pricing, icon: BadgePercent, needs: READ },
      { to: '/admin/switches', label: adminNav.switches, icon: CirclePause, needs: READ },
      { to: '/admin/team', label: adminNav.team, icon: UsersRound, needs: 'grant_roles', queues: ['team'] },
    ],
  },
]

/** The pages that these permissions allow; an empty group is left out. */
export function sectionsFor(permissions: readonly string[]): readonly SectionGroup[] {
  return sectionGroups
    .map(({ title, sections }) => ({
      title,
      sections: sections.filter(({ needs }) => permissions.includes(needs)),
    }))
    .filter(({ sections }) => sections.length > 0)
}

/** The section that a path is in; the overview where it is in no other. */
export function sectionOf(path: string): Section | undefined {
  const all = sectionGroups.flatMap(({ sections }) => sections)
  return all.find(({ to }) => to !== '/admin' && (path === to || path.startsWith(`${to}/`))) ?? all[0]
}
