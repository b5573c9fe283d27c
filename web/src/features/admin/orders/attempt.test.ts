import { expect, test } from 'vitest'
import { attemptText } from './attempt'

const order = (
  status: 'pending' | 'fulfilling' | 'filled' | 'failed' | 'sent',
  lastError: string,
  step?: string,
) => ({
  status,
  asset: 'BTC',
  metadata: { lastError, failedStep: step ?? null },
})

test('money that is missing at a provider is said in words, and leads to Treasury', () => {
  const short = 'insufficient_funds: EOrder:Insufficient funds'
  expect(attemptText(order('fulfilling', short))).toEqual({
    text: 'Kraken has too few dollars',
    treasury: true,
  })
  expect(attemptText(order('failed', short, 'buy'))?.text).toBe('Kraken has too few dollars')
  expect(attemptText(order('filled', 'insufficient_funds: insufficient balance'))).toEqual({
    text: 'BitGo has too few BTC',
    treasury: true,
  })
  // A card without money is its holder's matter.
  expect(attemptText(order('pending', 'insufficient_funds: card_declined'))?.treasury).toBe(false)
})

test.each([
  ['pending', 'http_503: 503 Service Unavailable', 'Stripe: 503 Service Unavailable (http_503)'],
  ['fulfilling', 'http_503: 503 Service Unavailable', 'Kraken: 503 Service Unavailable (http_503)'],
  ['filled', 'timeout', 'BitGo: timeout'],
] as const)('%s, %s: the provider is named', (status, error, text) => {
  expect(attemptText(order(status, error))).toEqual({ text, treasury: false })
})

test('of an order that was sent nothing is told', () => {
  expect(attemptText(order('sent', 'timeout'))).toBeUndefined()
})
