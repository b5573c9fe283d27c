import { expect, type Page } from '@playwright/test'

const album = new URL('../../../docs/images/', import.meta.url).pathname
const published = new URL('../../public/', import.meta.url).pathname

/** Everything has arrived and nothing moves any more. */
async function still(page: Page): Promise<void> {
  await page.evaluate(() => document.fonts.ready)
  await expect(page.locator('.animate-pulse')).toHaveCount(0)
  await page.mouse.move(0, 0)
}

/** Photographs what the window shows, for docs/images. */
export async function picture(page: Page, name: string): Promise<void> {
  await still(page)
  await page.screenshot({ path: `${album}${name}.png`, animations: 'disabled', caret: 'hide' })
}

/** The card that social sites show beside a link: 1200 × 630, in a language. */
export async function socialCard(page: Page, file: string): Promise<void> {
  await still(page)
  await page.screenshot({ path: `${published}${file}`, animations: 'disabled' })
}
