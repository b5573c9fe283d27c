import { chromium } from '@playwright/test'
import chr from '@sparticuz/chromium'

const browser = await chromium.launch({
  executablePath: await chr.executablePath(),
  args: chr.args,
  headless: true,
})
const ctx = await browser.newContext({ viewport: { width: 1280, height: 900 } })
const page = await ctx.newPage()
page.on('console', (m) => {
  if (['error', 'warning'].includes(m.type())) console.log('CONSOLE', m.type(), m.text().slice(0, 300))
})
page.on('pageerror', (e) => console.log('PAGEERROR', e.message))
const S = process.env.SITE ?? 'http://localhost:18080'
const SB = process.env.SB ?? 'http://127.0.0.1:18091'
let n = 0
const shot = async (name, p = page) => {
  n++
  await p.screenshot({ path: `/tmp/shots/${String(n).padStart(2, '0')}-${name}.png`, fullPage: false })
  console.log('shot', n, name, p.url())
}
try {
  await page.goto(S)
  await shot('landing')
  await page.getByRole('link', { name: 'Get Started' }).first().click()
  await page.waitForLoadState()
  await shot('signup')
  const email = `w${Date.now()}@example.com`
  await page.fill('input[name=email]', email)
  await page.fill('input[name=new_password]', 'violet-harbour-lantern-41')
  await page.fill('input[name=given_name]', 'Wanda')
  await page.fill('input[name=family_name]', 'Walker')
  await page.selectOption('select[name=country]', 'US')
  await page.check('input[name=adult]')
  await page.check('input[name=terms]')
  await page
    .getByRole('button', { name: /create|sign up/i })
    .first()
    .click()
  await page.waitForURL((u) => u.origin === S, { timeout: 20000 })
  await page.waitForTimeout(1500)
  await shot('dashboard')
  await page.goto(S + '/kyc')
  await page.waitForTimeout(800)
  await shot('kyc')
  await page.getByRole('button', { name: 'Start Verification' }).click()
  await page.waitForTimeout(3000)
  await shot('kyc-widget')
  const frame = page.frameLocator('iframe').first()
  for (let i = 0; i < 10; i++) {
    const b = frame
      .getByRole('button')
      .filter({ hasText: /continue|next|upload|take|submit|start/i })
      .first()
    if ((await b.count()) === 0) break
    const t = await b.textContent()
    console.log('widget button', t?.trim())
    await b.click()
    await page.waitForTimeout(700)
    if (/submit/i.test(t)) break
  }
  await shot('kyc-submitted')
  await page
    .getByText(/verified|approved/i)
    .first()
    .waitFor({ timeout: 30000 })
  await page.waitForTimeout(1500)
  await shot('kyc-approved')
  await page.goto(S + '/buy')
  await page.waitForTimeout(1200)
  await shot('buy')
} catch (e) {
  console.log('FAILED', e.message)
  await shot('failed')
}
await ctx.storageState({ path: '/tmp/shots/state.json' })
await browser.close()
