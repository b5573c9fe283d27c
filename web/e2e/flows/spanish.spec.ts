import type { Page } from '@playwright/test'
import { accessible } from '../fixtures/accessible'
import { addresses, placeOrder } from '../fixtures/buying'
import { password, verifiedCustomer } from '../fixtures/people'
import { settled } from '../fixtures/routes'
import { identityUrl, siteUrl } from '../fixtures/stack'
import { expect, test } from '../fixtures/test'

/** The page is in a language, and says so. */
async function expectLanguage(page: Page, language: 'en' | 'es', heading: string | RegExp): Promise<void> {
  await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible()
  await expect(page.locator('html')).toHaveAttribute('lang', language)
}

/** Nothing is wider than a narrow window, and axe finds nothing. */
async function expectFits(page: Page, path: string, heading: string | RegExp): Promise<void> {
  await page.setViewportSize({ width: 320, height: 700 })
  // The page before ended dark; one that is still starting would miss the change.
  await page.emulateMedia({ colorScheme: 'light' })
  await page.goto(path)
  await expectLanguage(page, 'es', heading)
  await expect(page.getByText('Cargando…')).toHaveCount(0)
  const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
  expect(over, `${path} scrolls sideways`).toBeLessThanOrEqual(0)
  await accessible(page)
}

test('Spanish from the landing page to the confirmation of a purchase, switched on every side', async ({
  page: english,
  browser,
}) => {
  const email = await verifiedCustomer(english)
  const order = await placeOrder(english)
  const context = await browser.newContext({ locale: 'es-MX', viewport: { width: 1280, height: 900 } })
  const page = await context.newPage()

  await test.step('a browser that asks for Spanish gets it, before any script has run', async () => {
    const answer = await page.goto('/pricing')
    expect(answer?.headers()['content-language']).toBe('es')
    expect(answer?.headers().vary).toContain('Accept-Language')
    const landing = await (await page.goto('/'))?.text()
    expect(landing).toContain('Compra cripto. Guárdala en tu propia billetera.')
    await expect(page).toHaveTitle(/^Compra Bitcoin y cripto en tu propia billetera · /)
    await expectLanguage(page, 'es', 'Compra cripto. Guárdala en tu propia billetera.')
  })

  await test.step('English and back, on the same page', async () => {
    await page.goto('/pricing?from=here')
    await settled(page) // the foot moves until then: a click that is released beside its button is none
    await page.getByRole('contentinfo').getByRole('button', { name: 'English' }).click()
    await expectLanguage(page, 'en', 'Pricing & Rates')
    expect(page.url()).toContain('/pricing?from=here')
    const foot = page.getByRole('contentinfo').getByRole('list', { name: 'Language' })
    await expect(foot.getByRole('button', { name: 'English' })).toHaveAttribute('aria-current', 'true')
    await settled(page)
    await foot.getByRole('button', { name: 'Español' }).click()
    await expectLanguage(page, 'es', 'Precios y comisiones')
  })

  await test.step('signing in is in Spanish, and comes back to it', async () => {
    await page.getByRole('link', { name: 'Iniciar sesión' }).first().click()
    await page.waitForURL(`${identityUrl}/**`)
    await expect(page.locator('html')).toHaveAttribute('lang', 'es')
    await page.getByLabel('Correo electrónico').fill(email)
    await page.getByLabel('Contraseña', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Iniciar sesión' }).click()
    await page.waitForURL(`${siteUrl}/**`)
    await expectLanguage(page, 'es', 'Panel')
    await expect(page).toHaveTitle(/^Panel · /)
    await expect(page.getByRole('heading', { name: 'Transacciones recientes' })).toBeVisible()
    const date = new Intl.DateTimeFormat('es-US', { day: 'numeric', month: 'short' }).format(new Date())
    await expect(page.getByRole('main').locator('time').filter({ visible: true }).first()).toContainText(date)
  })

  await test.step('what the server says of a voucher', async () => {
    await page.goto('/dashboard#voucher-redemption') // opens the form, which is folded for who has an order
    await page.getByLabel('Código del vale').fill('0000-0000-0000-0001')
    await page.getByRole('button', { name: 'Comprobar el vale' }).click()
    await expect(page.getByText('No encontramos este vale, o ya fue canjeado').first()).toBeVisible()
  })

  await test.step('a purchase up to its confirmation', async () => {
    await page.goto('/buy')
    await page.getByLabel('Monto en BTC').fill('0.0001')
    await expect(page.getByText('La compra mínima es de $50.00').first(), 'the server says it').toBeVisible()
    await page.getByLabel('Monto en BTC').fill('0.02')
    await page.getByLabel('Dirección de la billetera').fill(addresses.bitcoin)
    await expect(page.getByText('Red Bitcoin: dirección SegWit')).toBeVisible()
    await expect(page.getByText(/^Precio reservado por/)).toBeVisible()
    await page.getByRole('button', { name: 'Comprar cripto' }).locator('visible=true').click()
    const dialog = page.getByRole('dialog', { name: 'Revisa antes de pagar' })
    await expect(dialog.getByRole('button', { name: /^Confirmar y pagar \$\d,\d{3}\.\d\d$/ })).toBeVisible()
    await dialog.getByRole('button', { name: 'Editar la orden' }).click()
  })

  await test.step('what was typed is still there in the other language, which the account keeps', async () => {
    await page.getByRole('contentinfo').getByRole('button', { name: 'English' }).click()
    await expectLanguage(page, 'en', 'Buy Crypto')
    await expect(page.getByLabel('Amount in BTC')).toHaveValue('0.02')
    await page.goto('/settings/profile')
    await expect(page.getByRole('combobox', { name: 'Language' })).toHaveValue('en')
    await page.getByRole('combobox', { name: 'Language' }).selectOption('es')
    await expectLanguage(page, 'es', 'Perfil')
    await expect(page.getByRole('combobox', { name: 'Idioma' })).toHaveValue('es')
    await english.goto('/dashboard')
    await expectLanguage(english, 'es', 'Panel')
  })

  await test.step('it fits a narrow window, and is accessible', async () => {
    await expectFits(page, '/dashboard', 'Panel')
    await expectFits(page, '/buy', 'Comprar cripto')
    await expectFits(page, `/orders/${order}`, /BTC/)
    await expectFits(page, '/settings/profile', 'Perfil')
    await expectFits(page, '/settings/privacy', 'Tus datos')
    await context.clearCookies()
    await expectFits(page, '/', 'Compra cripto. Guárdala en tu propia billetera.')
  })
  await context.close()
})
