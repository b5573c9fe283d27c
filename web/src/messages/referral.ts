export const referral = {
  title: 'Referral Program',
  signInRequired: 'Sign In Required',
  signInHint: 'Sign in from the start page to see your referral link.',
  notOpen: 'The referral programme is not open yet',
  notOpenHint: 'There are no links or rewards until it opens. Nothing is tracked meanwhile.',
} as const

export const testPage = {
  title: 'Page navigation test',
  lead: 'Which session this browser has, and a link to every page.',
  signedIn: 'Signed in',
  isAdmin: 'Admin',
  user: 'User',
  yes: 'yes',
  no: 'no',
  pages: 'Pages',
} as const
