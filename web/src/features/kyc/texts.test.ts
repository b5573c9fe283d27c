import { expect, test } from 'vitest'
import type { KycStatus } from '@/api/types.gen'
import { identity } from '@/messages/identity'
import { kycMore, kycText } from './texts'

test('a review on hold has one sentence, without the minutes that others take', () => {
  const status = { status: 'pending', canRetry: false, onHold: true } as KycStatus
  expect([kycText(status, '5-15'), kycMore(status)]).toEqual([identity.onHold, undefined])
  const usual = { ...status, onHold: false }
  expect([kycText(usual, '5-15'), kycMore(usual)]).toEqual([identity.text.pending('5-15'), undefined])
})
