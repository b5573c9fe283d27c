import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { accessible } from '../fixtures/accessible'
import { addresses } from '../fixtures/buying'
import { verifiedCustomer } from '../fixtures/people'
import { expect, test } from '../fixtures/test'

/** The header of a text. */
const head = (title: string, version: string, day: string) =>
  `---\ntitle: ${title}\nversion: "${version}"\nin_force: ${day}\n---\n\n`

/** A folder of legal texts: the terms in a new version, in two languages, and more. */
function texts(more: Record<string, string> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'legal-'))
  const write = (name: string, title: string, version: string, day: string, body: string, changes = '') =>
    writeFileSync(
      join(folder, name),
      `---\ntitle: ${title}\nversion: "${version}"\nin_force: ${day}\nchanges: ${JSON.stringify(changes)}\n---\n\n## ${body}\n\n${body}\n`,
    )
  write('terms.en.md', 'Terms of Service', '2', '2026-02-01', 'New fees', 'Refunds cost a fee.')
  write(
    'terms.es.md',
    'Términos del servicio',
    '2',
    '2026-02-01',
    'Comisiones nuevas',
    'Los reembolsos se cobran.',
  )
  write('privacy.en.md', 'Privacy Policy', '2026-01-01', '2026-01-01', 'Your data')
  for (const [name, text] of Object.entries(more)) writeFileSync(join(folder, name), text)
  return folder
}

/** What the server answers to a new order of this page. */
const order = (page: Page) =>
  page.evaluate(async (address) => {
    const answer = await fetch('/api/orders', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        asset: 'BTC',
        amountAsset: '0.002',
        paymentMethod: 'domestic_wire',
        destAddress: address,
      }),
    })
    return `${answer.status} ${(await answer.json()).code ?? ''}`.trim()
  }, addresses.bitcoin)

test('new terms are announced, asked for once, and keep a customer from buying until they accept', async ({
  page,
  browser,
  siteWith,
}) => {
  const site = await siteWith({
    LEGAL_DIR: texts({ 'terms.3.en.md': `${head('Terms of Service', '3', '2199-01-01')}## Far away\n` }),
    LEGAL_ENTITY: 'Tradepost Example Ltd',
  })
  const visitor = await (await browser.newContext({ locale: 'es-MX' })).newPage()
  await visitor.goto(`${site}/terms`)
  await expect(visitor.getByRole('heading', { level: 1, name: 'Términos del servicio' })).toBeVisible()
  await expect(visitor.getByText('Versión 2, vigente desde el')).toBeVisible()
  await expect(visitor.getByText('entra en vigor el 2199-01-01')).toBeVisible()
  await accessible(visitor)
  await visitor.keyboard.press('Tab')
  await expect(visitor.getByRole('link', { name: 'Saltar al contenido' })).toBeFocused()
  await expect(visitor.getByRole('contentinfo')).toContainText('Tradepost Example Ltd')
  await visitor.goto(`${site}/privacy`)
  await expect(visitor.getByText('Este texto solo está disponible en inglés.')).toBeVisible()
  await visitor.context().close()

  await verifiedCustomer(page)
  await page.goto(`${site}/buy`)
  const asked = page.getByRole('dialog', { name: 'Our terms have changed' })
  await expect(asked).toContainText('Refunds cost a fee.')
  await expect(asked).toContainText('New fees')
  await accessible(page)
  await asked.getByRole('button', { name: 'Not now' }).click()
  await expect(asked).toBeHidden()
  expect(await order(page)).toBe('403 consent_required')

  await page.context().addCookies([{ name: 'lang', value: 'es', url: site }])
  await page.goto(`${site}/dashboard`)
  const spanish = page.getByRole('dialog', { name: 'Nuestros términos cambiaron' })
  await expect(spanish).toContainText('Los reembolsos se cobran.')
  await spanish.getByRole('button', { name: 'Lo he leído y acepto' }).click()
  await expect(spanish).toBeHidden()
  expect(await order(page)).toBe('201')
  await page.reload()
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(page.getByRole('dialog')).toHaveCount(0)
})

test('further texts and the page about us are those of the installation', async ({
  page,
  browser,
  siteWith,
}) => {
  const since = (title: string) => head(title, '5', '2026-02-01')
  const site = await siteWith({
    LEGAL_DIR: texts({
      'risk.en.md': `${since('Risks of crypto')}## Prices move\n\nYou may lose all of it.\n`,
      'risk.es.md': `${since('Riesgos de las criptos')}## Los precios cambian\n\nPuedes perderlo todo.\n`,
      'about.en.md': `${since('Who we are')}## Our company\n\nWe sell {{coins}}.\n\n## Write to us {#contact}\n\n{{support}}\n`,
    }),
  })
  await page.goto(site)
  const footer = page.getByRole('contentinfo')
  await footer.getByRole('link', { name: 'Risks of crypto' }).click()
  await expect(page).toHaveURL(`${site}/legal/risk`)
  await expect(page.getByRole('heading', { level: 1, name: 'Risks of crypto' })).toBeVisible()
  await expect(page.getByText('Version 5, in force since 2026-02-01')).toBeVisible()
  await accessible(page)
  await footer.getByRole('link', { name: 'About Us' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Who we are' })).toBeVisible()
  await expect(page.getByText('We sell BTC, ETH, USDT, USDC.')).toBeVisible()
  await footer.getByRole('link', { name: 'Contact Us' }).click()
  await expect(page.getByRole('heading', { name: 'Write to us' })).toBeInViewport()

  const visitor = await (await browser.newContext({ locale: 'es-MX' })).newPage()
  expect((await visitor.goto(`${site}/legal/risk`))?.status()).toBe(200)
  await expect(visitor.getByRole('heading', { level: 1, name: 'Riesgos de las criptos' })).toBeVisible()
  await expect(visitor.getByText('Puedes perderlo todo.')).toBeVisible()
  await expect(
    visitor.getByRole('contentinfo').getByRole('link', { name: 'Riesgos de las criptos' }),
  ).toHaveAttribute('href', '/legal/risk')
  expect((await visitor.goto(`${site}/legal/nothing`))?.status()).toBe(404)
  await expect(visitor.getByRole('heading', { level: 1, name: 'Página no encontrada' })).toBeVisible()
  await visitor.context().close()
})
