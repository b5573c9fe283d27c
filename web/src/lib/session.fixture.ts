import type { User } from './session'

/** A person for tests: signed in, nothing verified. */
export const defaultUser: User = {
  id: '018f7e0a-0000-7000-8000-000000000001',
  email: 'casey@example.com',
  emailVerified: true,
  firstName: 'Casey',
  lastName: 'Lin',
  profileImageUrl: null,
  country: 'US',
  isAdmin: false,
  roles: [],
  permissions: [],
  accountBalance: '0.00',
  kycStatus: 'not_started',
  kycLevel: 'none',
  volumeTier: 'bronze',
  needs2FA: false,
  twoFactorEnabled: false,
  twoFactorVerified: false,
}
