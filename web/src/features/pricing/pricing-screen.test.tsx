import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import type { PublicMethod } from '@/api/types.gen'
import { pricing } from '@/messages/pricing'
import { MethodCard } from './pricing-screen'

const card: PublicMethod = {
  method: 'card',
  description: 'Cards',
  isEnabled: true,
  margin: '3.5',
  processingFee: '0.00',
  minAmount: '50.00',
  maxAmount: null,
}

test('a method that is not offered to this person is listed as disabled, with its fees', () => {
  const shown = (active: boolean) => renderToStaticMarkup(<MethodCard method={card} active={active} />)
  expect(shown(true)).toContain(pricing.active)
  expect(shown(true)).not.toContain(pricing.disabled)
  expect(shown(false)).toContain(pricing.disabled)
  expect(shown(false)).not.toContain(pricing.active)
  for (const active of [true, false]) expect(shown(active)).toContain('3.5')
})
