import type { RoleProposal } from '@/api/types.gen'

export type Role = 'support' | 'compliance' | 'finance' | 'admin'

const roles: Record<Role, string> = {
  support: 'Support',
  compliance: 'Compliance',
  finance: 'Finance',
  admin: 'Admin',
}

export const adminTeam = {
  title: 'Team',
  lead: 'Who can do what. Adding a role takes two admins; one admin can remove it.',
  fetchFailed: 'Failed to fetch the team',
  roles,
  may: {
    support: 'Reads everything, answers tickets',
    compliance: 'Decides verifications and freezes, reviews gift cards',
    finance: 'Decides payments, refunds, orders, payouts',
    admin: 'Everything, including prices, kill switches and roles',
  } satisfies Record<Role, string>,
  customer: 'Customer',
  frozen: 'Frozen: has no role until unfrozen',
  filter: 'Filter by role',
  everybody: 'All',
  search: 'Search the team',
  searchPlaceholder: 'Name or e-mail',
  columns: {
    person: 'Person',
    roles: 'Roles',
    factor: '2FA',
    lastSignIn: 'Last sign-in',
    sessions: 'Sessions',
    actions: 'Actions',
  },
  you: 'You',
  enrolled: 'On',
  notEnrolled: 'Off',
  factor: { on: '2FA on', off: '2FA off' },
  never: 'Not recently',
  places: (n: number) => (n === 0 ? 'None' : n === 1 ? '1 session' : `${n} sessions`),
  empty: 'No one found',
  emptyHint: 'Try another role or search.',
  ofWhom: (who: string) => `of ${who}`,
  change: 'Change roles',
  signOut: 'Sign out',
  signOutTitle: 'Sign out everywhere',
  signOutText: (who: string, places: string) =>
    `This ends ${places.toLowerCase()} of ${who}. They must sign in again with their password, and with 2FA if it is on.`,
  signOutConfirm: 'Sign out everywhere',
  signedOut: (n: number) => (n === 1 ? '1 session ended' : `${n} sessions ended`),
  propose: 'Propose a role',
  proposeTitle: 'Propose a role for a colleague',
  proposeText: 'Nothing changes until another admin approves it.',
  email: 'Account e-mail address',
  emailHint: 'Enter the full address. It must be verified, and they must have signed in with it before.',
  find: 'Find',
  self: 'This is you. You cannot change your own role.',
  changeTitle: (who: string) => `Roles of ${who}`,
  changeText:
    'Another admin must approve an added role. If you only remove roles, the change takes effect at once.',
  chosen: 'Roles',
  now: 'now',
  nothing: 'Select the roles to add or remove.',
  adds: (added: string) => `Adds ${added}. Another admin must approve it.`,
  takes: (taken: string) =>
    `Removes ${taken} at once and signs them out everywhere. Their open proposals expire.`,
  proposeConfirm: 'Propose',
  takeConfirm: 'Remove now',
  reason: 'Reason',
  reasonPlaceholder: 'Saved in the audit log',
  proposed: 'Proposed',
  proposedText: 'Another admin must approve it.',
  taken: 'Removed',
  failed: 'Action failed',
  failedText: 'Refresh the page and try again.',
  waiting: (n: number) =>
    n === 1 ? '1 change needs approval by another admin' : `${n} changes need approval by another admin`,
  becomes: 'becomes',
  by: (who: string) => `Proposed by ${who}`,
  mine: 'You proposed this. Another admin must approve it.',
  aboutYou: 'This change is about you. Another admin must decide.',
  actions: { approve: 'Approve', reject: 'Reject', withdraw: 'Withdraw' } satisfies Record<
    RoleProposal['actions'][number],
    string
  >,
  answerTitle: {
    approve: 'Approve this change?',
    reject: 'Reject this change?',
    withdraw: 'Withdraw this change?',
  },
  approveText: (who: string, had: string, roles: string) =>
    `${who}: ${had} becomes ${roles}. We sign them out everywhere and e-mail them.`,
  endText: (who: string, had: string) => `${who} stays ${had}.`,
  answered: { approve: 'Approved', reject: 'Rejected', withdraw: 'Withdrawn' },
  history: 'Past proposals',
  noHistory: 'No decisions yet.',
  status: {
    open: 'Open',
    approved: 'Approved',
    rejected: 'Rejected',
    withdrawn: 'Withdrawn',
    lapsed: 'Expired',
  } satisfies Record<RoleProposal['status'], string>,
} as const

/** "Support and Finance", or "Customer" without a role. */
export function rolesText(held: readonly string[]): string {
  const names = held.map((role) => roles[role as Role] ?? role)
  if (names.length === 0) return adminTeam.customer
  return names.length === 1 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}
