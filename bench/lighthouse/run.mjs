/**
 * Audits one page with Lighthouse, and prints the result as one line of JSON: node run.mjs <address> <mobile
 * or desktop> [the session's cookie].
 */
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { launch } from 'chrome-launcher'
import lighthouse, { desktopConfig } from 'lighthouse'

const [address, form, cookie] = process.argv.slice(2)

/** The browser of the browser tests: web/e2e/fixtures/browser.ts. */
async function browser() {
  const installed = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
  const own = process.env.CHROMIUM ?? installed.find((path) => existsSync(path))
  if (own) return own
  const web = createRequire(new URL('../../web/package.json', import.meta.url))
  const { default: chromium } = await import(web.resolve('@sparticuz/chromium'))
  return chromium.executablePath()
}

const chrome = await launch({
  chromePath: await browser(),
  chromeFlags: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
})
try {
  const { lhr } = await lighthouse(
    address,
    {
      port: chrome.port,
      logLevel: 'error',
      onlyCategories: ['performance', 'accessibility', 'best-practices', 'seo'],
      // The session does not change during the audit: storage and cookies are the ones of this call.
      ...(cookie ? { extraHeaders: { Cookie: cookie } } : {}),
    },
    form === 'desktop' ? desktopConfig : undefined,
  )
  const scores = Object.fromEntries(
    Object.entries(lhr.categories).map(([name, { score }]) => [name, Math.round((score ?? 0) * 100)]),
  )
  const counted = new Set(Object.values(lhr.categories).flatMap(({ auditRefs }) => auditRefs.filter(({ weight }) => weight > 0).map(({ id }) => id)))
  const failed = Object.values(lhr.audits)
    .filter(({ id, score }) => counted.has(id) && score !== null && score < 0.9)
    .map(({ id, displayValue }) => (displayValue ? `${id} (${displayValue})` : id))
  const timing = (id) => lhr.audits[id]?.numericValue ?? 0
  process.stdout.write(
    `${JSON.stringify({
      scores,
      failed,
      lcp: timing('largest-contentful-paint'),
      tbt: timing('total-blocking-time'),
      cls: timing('cumulative-layout-shift'),
      error: lhr.runtimeError?.message,
    })}\n`,
  )
} finally {
  chrome.kill()
}
