/** `npm run budget` (bar 44): what each page loads first, gzipped, in every language, against WEB.md's limits. Fails when one is passed. */
import { readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { closure, styles } from './chunks.mjs'
import { details } from './pages.mjs'

const KIB = 1024
const dist = new URL('../dist/', import.meta.url)
/** English lies in dist itself, every other language in a folder named by its two-letter code. */
const languages = ['.', ...readdirSync(dist).filter((name) => /^[a-z]{2}$/.test(name))]
const size = (file) => gzipSync(readFileSync(new URL(file, dist)), { level: 9 }).length
const sum = (files) => files.reduce((total, file) => total + size(file), 0)

let failed = false
function check(name, bytes, limit, requests, limitRequests) {
  const over = bytes > limit * KIB || requests > limitRequests
  failed ||= over
  const kib = (bytes / KIB).toFixed(1).padStart(6)
  process.stdout.write(
    `bar 44: ${over ? 'OVER' : '  ok'}  ${kib} KiB of ${String(limit).padStart(3)}  ${String(requests).padStart(2)} scripts  ${name}\n`,
  )
}

for (const language of languages) weigh(language)
process.exitCode = failed ? 1 : 0

function weigh(language) {
  const manifest = JSON.parse(readFileSync(new URL(`${language}/.vite/manifest.json`, dist), 'utf8'))
  process.stdout.write(`bar 44: ${language === '.' ? 'en' : language}\n`)
  const css = styles(manifest)
  check('style sheets', sum(css), 20, css.length, 2)

  const firstSignedIn = closure(manifest, details['signedin /'].modules)
  const shared = new Set(firstSignedIn)
  for (const [name, { modules }] of Object.entries(details)) {
    if (language !== '.' && name.startsWith('admin')) continue // staff's pages are the English ones
    const files = closure(manifest, modules)
    if (name.startsWith('public')) check(name, sum(files), name === 'public /' ? 120 : 190, files.length, 12)
    else if (name.startsWith('admin')) check(name, sum(files), 240, files.length, 12)
    else {
      check(name, sum(files), 190 + 50, files.length, 12)
      const added = files.filter((file) => !shared.has(file))
      if (name !== 'signedin /') check(`${name}, beyond the dashboard`, sum(added), 50, added.length, 12)
      if (files.some((file) => file.includes('back-office'))) {
        failed = true
        process.stdout.write(
          `bar 44: OVER  ${name} loads the back office: vite.config.ts knows what both sides share\n`,
        )
      }
    }
  }
  check('signedin /, first load', sum(firstSignedIn), 190, firstSignedIn.length, 12)
}
