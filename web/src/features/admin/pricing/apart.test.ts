import { expect, test } from 'vitest'
import { fromDashboardMethod } from '@/features/buy/draft'
import { adminPricing as texts } from '@/messages/admin-pricing'
import { methodLabels } from '@/messages/common'

test('a way to pay that has two rows of prices names the other one in each', () => {
  const pairs = Object.entries(fromDashboardMethod).filter(([shown, bought]) => bought && bought !== shown)
  expect(pairs).toHaveLength(2)
  for (const [shown, bought] of pairs) {
    expect(texts.apart[shown]).toContain(methodLabels[bought])
    expect(texts.apart[bought]).toContain(methodLabels[shown])
  }
  expect(Object.keys(texts.apart).sort()).toEqual(pairs.flat().sort())
})
