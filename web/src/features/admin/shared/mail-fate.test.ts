import { expect, test } from 'vitest'
import { mailKinds } from '@/messages/admin-mails'
import spec from '../../../../../api/openapi.json'
import { mailFate } from './mail-fate'

const unsent = { sentAt: null, givenUpAt: null, lastError: null, attempts: 0 }
const at = '2026-11-21T15:04:05Z'

test('every mail that the server can write about an order has its name, and no name is without a mail', () => {
  const kinds: string[] = spec.components.schemas.OrderMail.properties.kind.enum
  expect(Object.keys(mailKinds).sort()).toEqual([...kinds].sort())
})

test('a mail is waiting, tried again, sent, replaced by a later one, or given up', () => {
  expect(mailFate(unsent)).toBe('waiting to be sent')
  expect(mailFate({ ...unsent, attempts: 1, lastError: 'refused_for_now' })).toBe(
    'not sent after 1 attempt (refused for now), trying again',
  )
  expect(mailFate({ ...unsent, attempts: 2 })).toBe('not sent after 2 attempts, trying again')
  expect(mailFate({ ...unsent, sentAt: at, attempts: 3 })).toBe('sent')
  expect(mailFate({ ...unsent, givenUpAt: at, lastError: 'replaced' })).toBe(
    'not needed: replaced by a later e-mail',
  )
  expect(mailFate({ ...unsent, givenUpAt: at, lastError: 'no_such_mailbox' })).toBe(
    'failed (no such mailbox)',
  )
})
