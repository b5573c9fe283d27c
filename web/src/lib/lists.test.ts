import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import * as lists from '@/api/lists.gen'

test('the lists are those of the contract', () => {
  const { schemas } = JSON.parse(readFileSync('../api/openapi.json', 'utf8')).components
  expect(lists.assets).toEqual(schemas.Order.properties.asset.enum)
  expect(lists.networks).toEqual(schemas.Order.properties.network.enum)
  expect(lists.voucherCurrencies).toEqual(schemas.VoucherFound.properties.currency.enum)
})
