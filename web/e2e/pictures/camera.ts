import { writeFileSync } from 'node:fs'
import { type Browser, expect, type Page } from '@playwright/test'

const album = new URL('../../../docs/images/', import.meta.url).pathname
const publicFolder = new URL('../../public/', import.meta.url).pathname

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

/** A picture of the site itself, as WebP: the browser that took it writes it small. */
export async function published(page: Page, file: string): Promise<void> {
  await still(page)
  const png = (await page.screenshot({ animations: 'disabled', caret: 'hide' })).toString('base64')
  const blank = await page.context().newPage() // the site's own policy would not let the picture in
  const webp = await blank.evaluate(async (data) => {
    const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0))
    const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }))
    const canvas = new OffscreenCanvas(image.width, image.height)
    canvas.getContext('2d')?.drawImage(image, 0, 0)
    const blob = await canvas.convertToBlob({ type: 'image/webp', quality: 0.8 })
    return [...new Uint8Array(await blob.arrayBuffer())]
  }, png)
  await blank.close()
  writeFileSync(`${publicFolder}${file}`, Uint8Array.from(webp))
}

/** The order page that the landing page shows, as a phone has it, in each language and theme. */
export async function orderPictures(browser: Browser, page: Page, id: string): Promise<void> {
  const storageState = await page.context().storageState()
  for (const [language, name] of [
    ['es', 'order-es'],
    ['en', 'order'],
  ] as const) {
    const viewport = { width: 390, height: 720 }
    const context = await browser.newContext({
      storageState,
      viewport,
      deviceScaleFactor: 2,
      locale: language,
    })
    const phone = await context.newPage()
    await phone.goto('/settings/profile')
    await phone.locator('#language').selectOption(language)
    await expect(phone.locator('html')).toHaveAttribute('lang', language)
    for (const [scheme, file] of [
      ['light', `${name}.webp`],
      ['dark', `${name}-dark.webp`],
    ] as const) {
      await phone.emulateMedia({ colorScheme: scheme })
      await phone.goto(`/orders/${id}`)
      await expect(phone.getByRole('heading', { level: 1 })).toBeVisible()
      await phone.evaluate(() => {
        for (const bar of document.querySelectorAll<HTMLElement>('header, [data-toast]'))
          bar.style.display = 'none'
      })
      await published(phone, file)
    }
    await context.close()
  }
}

/** The card that social sites show beside a link: 1200 × 630, in a language. */
export async function socialCard(page: Page, file: string): Promise<void> {
  await still(page)
  await page.screenshot({ path: `${publicFolder}${file}`, animations: 'disabled' })
}
