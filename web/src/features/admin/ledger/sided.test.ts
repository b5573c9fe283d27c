import { expect, it } from 'vitest'
import { MISSING } from '@/lib/format'
import { sided } from './postings-screen'

it('shows balances without a sign and names their side, as the trial balance does', () => {
  expect(sided('-240.65')).toBe('240.65 credit')
  expect(sided('1240.65')).toBe('1,240.65 debit')
  expect(sided('0.00')).toBe('0.00')
  expect(sided(undefined)).toBe(MISSING)
})
