import { expect, test } from 'vitest'
import { type Column, columnsOf } from './queue-table'

const columns: Column<unknown>[] = [
  { key: 'reference', name: 'Reference', cell: () => null },
  { key: 'asset', name: 'Amount', cell: () => null, from: '2xl' },
  { key: 'id', name: 'Order ID', cell: () => null, from: 'chosen' },
]
const shown = (chosen?: string) => columnsOf(columns, chosen).map(({ key }) => key)

test('a column that waits to be chosen is neither shown nor ticked before', () => {
  expect(shown()).toEqual(['reference', 'asset'])
  expect(shown('reference,id')).toEqual(['reference', 'id'])
})

test('columns of an old address that no longer exist leave no empty table', () => {
  expect(shown('gone')).toEqual(['reference', 'asset', 'id'])
})
