import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import type { HeldPrice } from './queries'
import { Summary } from './summary'
import type { Quote } from './use-quote'

const price = {
  basePrice: '100.00',
  paymentMethodFee: '3.50',
  volumeDiscount: '0.00',
  total: '103.50',
} as HeldPrice
const quote: Quote = {
  price,
  secondsLeft: 60,
  expired: false,
  loading: false,
  error: null,
  renew: () => undefined,
}

test('a price above a limit is shown, and not told as held', () => {
  const shown = (held: boolean) =>
    renderToStaticMarkup(<Summary asset="BTC" amount="0.001" method="card" quote={quote} held={held} />)
  expect(shown(true)).toContain('Price held for 1:00')
  expect(shown(false)).toContain('$103.50')
  expect(shown(false)).not.toContain('Price held')
})
