import { expect, test } from 'vitest'
import { toUser } from './session'
import { defaultUser } from './session.fixture'

test('a session that owes the second factor has no details, and no rights', () => {
  const owing = toUser({ id: 'u1', needs2FA: true, twoFactorEnabled: true, twoFactorVerified: false })
  expect(owing).toMatchObject({
    id: 'u1',
    email: '',
    firstName: '',
    isAdmin: false,
    permissions: [],
    roles: [],
  })
  expect(owing.emailVerified).toBe(true) // nothing asks to confirm an address that is not known
})

test('the details that the server sends are kept', () => {
  expect(toUser(defaultUser)).toEqual(defaultUser)
})
