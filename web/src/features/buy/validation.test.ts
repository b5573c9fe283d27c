import { describe, expect, test } from 'vitest'
import { defaultUser } from '@/lib/session.fixture'
import { emptyDraft } from './draft'
import { buttonLabel, mistakesOf } from './validation'

const verified = { ...defaultUser, kycStatus: 'verified' as const }
const good = { ...emptyDraft, amount: '0.001', address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4' }

describe('specification §5: what stands in the way of an order', () => {
  test.each(['0', '0.0', '-1', 'abc', '1e3'])('an amount of %j', (amount) => {
    expect(mistakesOf({ ...good, amount }, verified).toast).toEqual({
      title: 'Invalid Amount',
      description: 'Please enter a valid crypto amount',
    })
  })

  test.each(['', '   '])('an address of %j', (address) => {
    expect(mistakesOf({ ...good, address }, verified).toast).toEqual({
      title: 'Wallet Address Required',
      description: 'Please enter your wallet address to receive crypto',
    })
  })

  test('a wrong address is named at its field', () => {
    const found = mistakesOf({ ...good, asset: 'ETH' }, verified)
    expect(found.address).toBe(
      'We can’t send ETH to an address on the Bitcoin network. Enter another address.',
    )
    expect(found.at).toBe('address')
  })

  test.each(['not_started', 'pending', 'rejected'] as const)('an identity that is %s', (kycStatus) => {
    expect(mistakesOf(good, { ...defaultUser, kycStatus }).toast).toEqual({
      title: 'KYC Verification Required',
      description: 'Please complete identity verification before making purchases',
    })
  })

  test('the amount is asked for before the address, the address before the identity', () => {
    const nothing = { ...good, amount: '0', address: '' }
    expect(mistakesOf(nothing, defaultUser).toast?.title).toBe('Invalid Amount')
    expect(mistakesOf({ ...nothing, amount: '1' }, defaultUser).toast?.title).toBe('Wallet Address Required')
  })

  test('nothing, when all is there', () => expect(mistakesOf(good, verified)).toEqual({}))
})

describe('what the button says', () => {
  test.each(['not_started', 'rejected'] as const)(
    'that the identity comes next, where only it is missing (%s)',
    (kycStatus) => {
      const user = { ...defaultUser, kycStatus }
      expect(buttonLabel(good, user)).toBe('Verify identity to continue')
      expect(buttonLabel({ ...good, address: '' }, user)).toBe('Buy Crypto')
    },
  )

  test('that one buys, once verified or while the documents are reviewed', () => {
    expect(buttonLabel(good, verified)).toBe('Buy Crypto')
    expect(buttonLabel(good, { ...defaultUser, kycStatus: 'pending' })).toBe('Buy Crypto')
  })
})
