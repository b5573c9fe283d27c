import { expect, test } from 'vitest'
import type { KycStatus } from '@/api/types.gen'
import { identity } from '@/messages/identity'
import { ownReason } from './own-reason'
import { kycMore, kycText } from './texts'

test('a review on hold has one sentence, without the minutes that others take', () => {
  const status = { status: 'pending', canRetry: false, onHold: true } as KycStatus
  expect([kycText(status, '5-15'), kycMore(status)]).toEqual([identity.onHold, undefined])
  const usual = { ...status, onHold: false }
  expect([kycText(usual, '5-15'), kycMore(usual)]).toEqual([identity.text.pending('5-15'), undefined])
})

test.each([
  'We could not verify your profile. If you have any questions, contact the company.',
  'We couldn’t verify your documents.',
  "We couldn't verify your documents.",
  'No pudimos verificar tus documentos.',
])('a final rejection is said once: "%s" is no reason', (reason) => {
  expect(ownReason({ reason })).toBeUndefined()
})

test('the reason of a final rejection is shown', () => {
  const reason = 'The document has expired. Use one that is valid.'
  expect(ownReason({ reason })).toBe(reason)
  expect(ownReason({ reason: null })).toBeUndefined()
})
