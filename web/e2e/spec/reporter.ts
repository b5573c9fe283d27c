import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { FullResult, Reporter, TestCase, TestResult } from '@playwright/test/reporter'
import { rows } from './rows'

/**
 * Compares the rows of SPEC that the run's assertions showed with the table. With SPEC_ROWS, which a run of every test
 * names a file by, a row that was not shown fails the run; what is run once more adds to what was shown before.
 */
export default class SpecReporter implements Reporter {
  private readonly seen = new Set<string>()
  private readonly file = process.env.SPEC_ROWS

  onBegin(): void {
    if (this.file && process.argv.includes('--last-failed'))
      for (const row of JSON.parse(readFileSync(this.file, 'utf8')) as string[]) this.seen.add(row)
  }

  onTestEnd(_: TestCase, result: TestResult): void {
    if (result.status !== 'passed') return
    for (const { type, description } of result.annotations)
      if (type === 'spec' && description) this.seen.add(description)
  }

  onEnd(): Promise<{ status?: FullResult['status'] } | undefined> {
    const missing = rows.filter((row) => !this.seen.has(row))
    process.stdout.write(`SPEC: ${rows.length - missing.length} of ${rows.length} rows shown\n`)
    if (!this.file) return Promise.resolve(undefined)
    mkdirSync(dirname(this.file), { recursive: true })
    writeFileSync(this.file, JSON.stringify([...this.seen].sort(), null, 2))
    if (missing.length === 0) return Promise.resolve(undefined)
    process.stdout.write(`no assertion showed:\n${missing.map((row) => `  ${row}\n`).join('')}`)
    return Promise.resolve({ status: 'failed' })
  }

  printsToStdio(): boolean {
    return false
  }
}
