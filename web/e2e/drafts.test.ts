import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { draftCases } from './fixtures/drafts'

const src = new URL('../src/', import.meta.url)

test('every form that keeps what is typed has a case in the story of drafts', () => {
  const forms = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((path) => /^features.*\.tsx?$/.test(path) && !path.includes('.test.'))
    .filter((path) => /\buseDraft[<(]/.test(readFileSync(new URL(path, src), 'utf8')))
  expect(forms.length).toBeGreaterThan(0)
  expect(draftCases.map(({ form }) => form).sort()).toEqual(forms.sort())
})

test('a form that withholds something has a secret in its case', () => {
  for (const { form, secret } of draftCases)
    expect(Boolean(secret), form).toBe(readFileSync(new URL(form, src), 'utf8').includes('withheld:'))
})
