import { readFileSync } from 'node:fs'

/**
 * What docs/security.md claims of a requirement of ASVS, as the failure message of an assertion.
 * `deploy/asvs_test.go` checks that the requirement's row names the test.
 */
export function asvs(requirement: string): string {
  for (const line of readFileSync('../docs/security.md', 'utf8').split('\n')) {
    const [requirements, , claim] = line.replace(/^\| /, '').split(' | ')
    if (requirements?.split(' ').includes(requirement)) return `ASVS ${requirement}: ${claim}`
  }
  throw new Error(`no row of docs/security.md has ASVS ${requirement}`)
}
