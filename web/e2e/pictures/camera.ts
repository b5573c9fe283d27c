import { mkdirSync, writeFileSync } from 'node:fs'
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

/** Pictures side by side, two a row, as one WebP: the browser that made them writes it small. */
async function webp(page: Page, pngs: string[], scale: number): Promise<Uint8Array> {
  const blank = await page.context().newPage() // the site's own policy would not let the pictures in
  const bytes = await blank.evaluate(
    async ([all, by]) => {
      const images = await Promise.all(
        all.map(async (data) => {
          const png = Uint8Array.from(atob(data), (character) => character.charCodeAt(0))
          return createImageBitmap(new Blob([png], { type: 'image/png' }))
        }),
      )
      const columns = images.slice(0, 2).map((image) => image.width * by)
      const height = (images[0]?.height ?? 0) * by
      const canvas = new OffscreenCanvas(
        columns.reduce((sum, width) => sum + width, 0),
        height * Math.ceil(images.length / 2),
      )
      const paper = canvas.getContext('2d')
      if (paper) paper.imageSmoothingQuality = 'high'
      for (const [at, image] of images.entries())
        paper?.drawImage(
          image,
          at % 2 ? (columns[0] ?? 0) : 0,
          Math.floor(at / 2) * height,
          columns[at % 2] ?? 0,
          height,
        )
      return [
        ...new Uint8Array(
          await (await canvas.convertToBlob({ type: 'image/webp', quality: 0.8 })).arrayBuffer(),
        ),
      ]
    },
    [pngs, scale] as const,
  )
  await blank.close()
  return Uint8Array.from(bytes)
}

/** A picture of the site itself. */
export async function published(page: Page, file: string): Promise<void> {
  await still(page)
  const png = (await page.screenshot({ animations: 'disabled', caret: 'hide' })).toString('base64')
  writeFileSync(`${publicFolder}${file}`, await webp(page, [png], 1))
}

/** How a screen is photographed. */
const looks = (['light', 'dark'] as const).flatMap((theme) =>
  [1280, 390].map((width) => ({ theme, viewport: { width, height: 900 } })),
)

/**
 * A screen in each theme and width on one sheet: light above dark, wide beside narrow. `whole` says where
 * each picture is kept.
 */
export async function contactSheet(
  page: Page,
  name: string,
  open: () => Promise<unknown>,
  whole: (file: string) => string,
): Promise<void> {
  const shots: string[] = []
  for (const { theme, viewport } of looks) {
    await page.emulateMedia({ colorScheme: theme })
    await page.setViewportSize(viewport)
    await open()
    await page.setViewportSize(viewport)
    await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible()
    await still(page)
    const path = whole(`${name}-${theme}-${viewport.width}.png`)
    shots.push((await page.screenshot({ animations: 'disabled', caret: 'hide', path })).toString('base64'))
  }
  const folder = process.env.SHEETS ?? `${album}screens/`
  mkdirSync(folder, { recursive: true })
  writeFileSync(`${folder}${name}.webp`, await webp(page, shots, 0.5))
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
