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
  lead: 'Who may do what here. A role is given by two admins; one admin alone can take it away.',
  fetchFailed: 'Failed to fetch the team',
  roles,
  may: {
    support: 'Reads everything, answers tickets',
    compliance: 'Decides identities, freezes, reviews gift cards',
    finance: 'Decides payments, refunds, orders, payouts',
    admin: 'Everything, also prices, pauses and roles',
  } satisfies Record<Role, string>,
  customer: 'Customer',
  filter: 'Filter by role',
  everybody: 'Everybody',
  search: 'Find a colleague',
  searchPlaceholder: 'Name or e-mail',
  columns: {
    person: 'Person',
    roles: 'Roles',
    factor: 'Second factor',
    lastSignIn: 'Last sign-in',
    sessions: 'Signed in',
    actions: 'Actions',
  },
  you: 'You',
  enrolled: 'Set up',
  notEnrolled: 'None',
  factor: { on: 'Second factor set up', off: 'No second factor' },
  never: 'Not lately',
  places: (n: number) => (n === 0 ? 'Nowhere' : n === 1 ? '1 place' : `${n} places`),
  empty: 'Nobody is found',
  emptyHint: 'Try another role or another word.',
  ofWhom: (who: string) => `of ${who}`,
  change: 'Change roles',
  signOut: 'Sign out',
  signOutTitle: 'Sign out everywhere',
  signOutText: (who: string, places: string) =>
    `${who} is signed in at ${places.toLowerCase()}. They sign in again with their password, and their second factor if they have one.`,
  signOutConfirm: 'Sign out everywhere',
  signedOut: (n: number) => (n === 1 ? '1 session was ended' : `${n} sessions were ended`),
  propose: 'Propose a role',
  proposeTitle: 'Give somebody a role',
  proposeText: 'Nothing changes until another admin approves it.',
  email: 'E-mail address of their account',
  emailHint: 'The whole address. They have signed in with it, verified, before.',
  find: 'Find',
  self: 'This is you. Nobody changes their own role.',
  changeTitle: (who: string) => `Roles of ${who}`,
  changeText: 'A role that is added waits for another admin. Taking roles away alone takes effect at once.',
  chosen: 'Roles',
  now: 'now',
  nothing: 'Choose what changes.',
  adds: (added: string) => `Adds ${added}. Another admin has to approve it.`,
  takes: (taken: string) =>
    `Takes ${taken} away at once and signs them out everywhere. What they have proposed lapses.`,
  proposeConfirm: 'Propose',
  takeConfirm: 'Take away now',
  reason: 'Reason',
  reasonPlaceholder: 'Kept in the audit log',
  proposed: 'Proposed',
  proposedText: 'Another admin has to approve it.',
  taken: 'Taken away',
  failed: 'This was not done',
  failedText: 'It could not be done. Please refresh.',
  waiting: (n: number) =>
    n === 1 ? 'One change waits for a second admin' : `${n} changes wait for a second admin`,
  becomes: 'becomes',
  by: (who: string) => `Proposed by ${who}`,
  mine: 'You have proposed this; another admin has to approve it.',
  aboutYou: 'This is about you: others decide.',
  actions: { approve: 'Approve', reject: 'Reject', withdraw: 'Withdraw' } satisfies Record<
    RoleProposal['actions'][number],
    string
  >,
  answerTitle: {
    approve: 'Approve this change',
    reject: 'Reject this change',
    withdraw: 'Withdraw this change',
  },
  approveText: (who: string, had: string, roles: string) =>
    `${who}: ${had} becomes ${roles}. They are signed out everywhere and told by mail.`,
  endText: (who: string, had: string) => `${who} stays ${had}.`,
  answered: { approve: 'Approved', reject: 'Rejected', withdraw: 'Withdrawn' },
  history: 'What was proposed',
  noHistory: 'Nothing was decided yet.',
  status: {
    open: 'Waiting',
    approved: 'Approved',
    rejected: 'Rejected',
    withdrawn: 'Withdrawn',
    lapsed: 'Lapsed',
  } satisfies Record<RoleProposal['status'], string>,
} as const

/** "Support and Finance", or "Customer" for nobody's roles. */
export function rolesText(held: readonly string[]): string {
  const names = held.map((role) => roles[role as Role] ?? role)
  if (names.length === 0) return adminTeam.customer
  return names.length === 1 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}
