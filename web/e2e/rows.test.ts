import type { TestCase, TestResult } from '@playwright/test/reporter'
import { expect, test, vi } from 'vitest'
import SpecReporter from './spec/reporter'
import { aimedAt, rows, rowsOf } from './spec/rows'

const literals = rows
  .filter((row) => /^[/*]/.test(row))
  .map((row) => {
    const at = row.indexOf(': ')
    const [path = '', part = ''] = row.slice(0, at).split(' ')
    return { row, path, parts: [part], text: row.slice(at + 2) }
  })

test('a row is shown by its own text in its own place, and by no other', () => {
  expect(literals.length).toBeGreaterThan(200)
  for (const { row, path, parts, text } of literals) {
    expect(rowsOf(path, { text, parts }), row).toContain(row)
    for (const other of [text.slice(1), text.slice(0, -1), `x${text.slice(1)}`])
      expect(rowsOf(path, { text: other, parts }), `${row} by ${other}`).not.toContain(row)
    if (path !== '*') expect(rowsOf('/nowhere', { text, parts }), row).not.toContain(row)
    if (parts[0] !== '') expect(rowsOf(path, { text, parts: ['main'] }), row).not.toContain(row)
    if (!/[\s:]/.test(text)) expect(rowsOf(path, { text: `${text} to you`, parts }), row).not.toContain(row)
  }
})

test('an assertion is about a word that it quotes, not about one that it contains', () => {
  expect(aimedAt('/orders', 'getByText("Sent")')).toEqual(['/orders: Sent'])
  expect(aimedAt('/orders', 'getByText("was Sent on")')).toEqual([])
})

test('a run that lacks a row fails, one that failed shows none', async () => {
  vi.stubEnv('E2E_EVERYTHING', 'yes')
  const run = (shown: readonly string[], status: TestResult['status']) => {
    const reporter = new SpecReporter()
    const annotations = shown.map((description) => ({ type: 'spec', description }))
    reporter.onTestEnd({} as TestCase, { status, annotations } as TestResult)
    return reporter.onEnd()
  }
  expect(await run(rows, 'passed')).toBeUndefined()
  expect(await run(rows.slice(1), 'passed')).toEqual({ status: 'failed' })
  expect(await run(rows, 'failed')).toEqual({ status: 'failed' })
})
