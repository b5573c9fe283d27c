import { inPieces } from '../fixtures/pieces'
import { expect, test } from '../fixtures/test'

for (const path of ['/', '/about', '/pricing'])
  test(`${path} comes in two pieces, and to life when it is whole`, async ({ page }) => {
    const line = await inPieces()
    try {
      await page.goto(`${line.url}${path}`, { waitUntil: 'commit' })
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      await test.step('its scripts are there before its end', async () => {
        await page.waitForFunction(() => {
          const entry = document.querySelector<HTMLScriptElement>('head script[type=module]')?.src
          const got = performance.getEntriesByType('resource').filter(({ name }) => name === entry)
          return got.some((one) => (one as PerformanceResourceTiming).responseEnd > 0)
        })
        await page.evaluate(
          () => new Promise((done) => requestIdleCallback(() => requestIdleCallback(() => done(null)))),
        )
        await expect(page.getByRole('contentinfo')).toHaveCount(0)
      })
      line.finish()
      await expect(page.getByRole('contentinfo')).toHaveCount(1)
      await page.getByTitle('Dark', { exact: true }).click()
      await expect(page.locator('html')).toHaveClass(/\bdark\b/)
    } finally {
      line.close()
    }
  })
