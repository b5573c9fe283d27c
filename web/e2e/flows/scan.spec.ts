import type { Page } from '@playwright/test'
import { encodeQR } from 'qr'
import { buy } from '../../src/messages/buy'
import { addresses } from '../fixtures/buying'
import { signUp } from '../fixtures/people'
import { expectToast } from '../fixtures/said'
import { expect, test } from '../fixtures/test'

/** The browser has no decoder of its own, as on iPhones, and its camera sees this code. */
async function withCamera(page: Page, text: string): Promise<void> {
  await page.addInitScript(
    (modules) => {
      Object.defineProperty(globalThis, 'BarcodeDetector', { value: undefined })
      const canvas = document.createElement('canvas')
      canvas.width = 1280
      canvas.height = 720
      const draw = () => {
        const brush = canvas.getContext('2d')
        if (!brush) return
        brush.fillStyle = '#ddd'
        brush.fillRect(0, 0, canvas.width, canvas.height)
        brush.fillStyle = '#222'
        for (const [y, row] of modules.entries())
          for (const [x, dark] of row.entries()) if (dark) brush.fillRect(340 + x * 12, 60 + y * 12, 12, 12)
      }
      setInterval(draw, 50) // A stream of a canvas has a picture only when one is drawn.
      navigator.mediaDevices.getUserMedia = async () => canvas.captureStream(20)
    },
    encodeQR(text, 'raw'),
  )
}

test('the camera reads a wallet’s code where the browser cannot by itself', async ({ page }) => {
  await signUp(page)
  await withCamera(page, `bitcoin:${addresses.bitcoin}?label=My%20wallet`)
  const loaded: string[] = []
  page.on('request', (request) => void loaded.push(request.url()))
  await page.goto('/buy')
  await expect(page.getByLabel('Wallet address')).toHaveValue('')
  await expect(page.getByRole('button', { name: buy.scan })).toBeVisible()
  await page.waitForLoadState('networkidle')
  const before = loaded.filter((url) => url.endsWith('.js')).length
  await page.getByRole('button', { name: buy.scan }).click()
  await expect(page.getByLabel('Wallet address')).toHaveValue(addresses.bitcoin)
  await expect(page.getByRole('dialog')).toHaveCount(0)
  expect(
    loaded.filter((url) => url.endsWith('.js')).length,
    'the decoder comes with the press',
  ).toBeGreaterThan(before)
})

test('a camera that is refused is told of, and the address can be typed', async ({ page }) => {
  await signUp(page)
  const answer = await page.goto('/buy')
  expect(answer?.headers()['permissions-policy']).toMatch(/^camera=\(self\b/)
  await page.getByRole('button', { name: buy.scan }).click()
  await expectToast(page, 'Error', buy.scanFailed)
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await page.getByLabel('Wallet address').fill(addresses.bitcoin)
  await expect(page.getByText('Bitcoin', { exact: false }).first()).toBeVisible()
})
