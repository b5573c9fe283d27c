import { expect, test } from 'vitest'
import { changesOf } from './pricing-history'

test('the countries of a method are named in its history, and none is all', () => {
  const before = { countries: [], isEnabled: true }
  const after = { countries: ['CA', 'US'], isEnabled: true }
  expect(changesOf({ before, after })).toEqual(['Offered in: All countries → Canada, United States'])
  expect(changesOf({ before: after, after: { ...before, isEnabled: false } })).toEqual([
    'Offered in: Canada, United States → All countries',
    'Enabled: Yes → No',
  ])
  expect(changesOf({ before, after: before })).toEqual([])
})
