import type { FullResult, Reporter, TestCase, TestResult } from '@playwright/test/reporter'
import { rows } from './rows'

/**
 * Compares the rows of the specification that the run's assertions showed with the table. With E2E_EVERYTHING, which
 * says that every
 * test is run, a row that was not shown fails the run.
 */
export default class SpecReporter implements Reporter {
  private readonly seen = new Set<string>()

  onTestEnd(_: TestCase, result: TestResult): void {
    if (result.status !== 'passed') return
    for (const { type, description } of result.annotations)
      if (type === 'spec' && description) this.seen.add(description)
  }

  onEnd(): Promise<{ status?: FullResult['status'] } | undefined> {
    const missing = rows.filter((row) => !this.seen.has(row))
    process.stdout.write(`specification: ${rows.length - missing.length} of ${rows.length} rows shown\n`)
    if (!process.env.E2E_EVERYTHING || missing.length === 0) return Promise.resolve(undefined)
    process.stdout.write(`no assertion showed:\n${missing.map((row) => `  ${row}\n`).join('')}`)
    return Promise.resolve({ status: 'failed' })
  }

  printsToStdio(): boolean {
    return false
  }
}
