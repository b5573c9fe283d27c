import { chromium } from '@playwright/test'
import chr from '@sparticuz/chromium'

const browser = await chromium.launch({
  executablePath: await chr.executablePath(),
  args: chr.args,
  headless: true,
})
const S = process.env.SITE ?? 'http://localhost:18080'
const dark = process.env.DARK ? { colorScheme: 'dark' } : {}
const vp = process.env.MOBILE ? { width: 390, height: 844 } : { width: 1280, height: 900 }
const T = (process.env.DARK ? 'd' : 'l') + (process.env.MOBILE ? 'm' : 'w')
const watch = (page, who) => {
  page.on('console', (m) => {
    if (['error', 'warning'].includes(m.type())) console.log('CONSOLE', who, m.type(), m.text().slice(0, 300))
  })
  page.on('pageerror', (e) => console.log('PAGEERROR', who, e.message))
}
const ctx = await browser.newContext({ viewport: vp, ...dark })
const page = await ctx.newPage()
watch(page, 'customer')
let n = 0
const shot = async (name, p = page, full = false) => {
  n++
  await p.screenshot({ path: `/tmp/shots/${T}${String(n).padStart(2, '0')}-${name}.png`, fullPage: full })
  console.log('shot', n, name, p.url().slice(0, 120))
}
let who = page
try {
  await page.goto(S + '/api/login?screen=signup')
  await page.waitForLoadState()
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
  await page.goto(S + '/kyc')
  await page.getByRole('button', { name: 'Start Verification' }).click()
  const f = page.frameLocator('iframe').first()
  await f.getByRole('button', { name: 'Continue' }).click()
  await f.getByRole('button', { name: /sample photo/i }).click()
  await f
    .getByRole('button', { name: /selfie|sample/i })
    .first()
    .click()
  await page.waitForTimeout(500)
  await shot('kyc-review')
  await f
    .getByRole('button', { name: /submit/i })
    .first()
    .click()
  await page.getByText('Your identity is verified').first().waitFor({ timeout: 40000 })
  await shot('kyc-approved')
  await page.goto(S + '/buy')
  await page.waitForTimeout(800)
  await page.getByLabel(/Amount in BTC/).fill('0.002')
  await page
    .getByLabel(/wallet address/i)
    .first()
    .fill('bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4')
  await page.waitForTimeout(1500)
  await shot('buy-filled', page, true)
  await page.getByRole('button', { name: /^Buy/ }).last().click()
  await page.waitForTimeout(800)
  await shot('buy-confirm')
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /confirm|place|buy/i })
    .last()
    .click()
  await page.waitForURL(/orders\//, { timeout: 15000 })
  await page.waitForTimeout(1500)
  await shot('order-pending', page, true)
  const order = page.url().split('/orders/')[1].split('?')[0]
  await page.getByRole('link', { name: /pay/i }).first().click()
  await page.waitForURL(/\/pay\//, { timeout: 15000 })
  await shot('checkout', page, true)
  await page
    .getByLabel(/card number/i)
    .first()
    .fill('4000 0027 6000 3184')
  await page.getByLabel(/expiry/i).fill('12 / 30')
  await page.getByLabel(/cvc/i).fill('123')
  await page.getByRole('button', { name: /^Pay/ }).click()
  await page.waitForTimeout(800)
  await shot('3ds', page)
  await page.getByRole('button', { name: /Complete authentication/i }).click()
  await page.waitForURL((u) => u.origin === S)
  await page.waitForTimeout(2500)
  await shot('order-authorised', page, true)
  const actx = await browser.newContext({ viewport: vp, ...dark })
  const admin = await actx.newPage()
  watch(admin, 'admin')
  who = admin
  await admin.goto(S + '/api/login')
  await admin.fill('input[name=email]', 'alice@example.com')
  await admin.fill('input[name=password]', 'tradepost-demo-1')
  await admin
    .getByRole('button', { name: /sign in/i })
    .first()
    .click()
  await admin.waitForURL((u) => u.origin === S)
  await admin.goto(S + '/admin/payments')
  await admin.waitForTimeout(2000)
  await shot('admin-payments', admin, true)
  await admin
    .getByRole('button', { name: /^Process/ })
    .first()
    .click()
  await admin.waitForTimeout(800)
  await shot('admin-process', admin)
  const d = admin.getByRole('dialog').or(admin.getByRole('alertdialog'))
  if (await d.count())
    await d
      .getByRole('button', { name: /process|capture|confirm/i })
      .last()
      .click()
  await admin.waitForTimeout(3000)
  await shot('admin-processed', admin)
  await admin.goto(S + '/admin/orders')
  await admin.waitForTimeout(1500)
  await shot('admin-orders', admin, true)
  await admin
    .getByRole('button', { name: /^Fulfill/ })
    .first()
    .click()
  await admin.waitForTimeout(800)
  await shot('admin-fulfill', admin)
  const d2 = admin.getByRole('dialog').or(admin.getByRole('alertdialog'))
  if (await d2.count())
    await d2
      .getByRole('button', { name: /fulfill|confirm/i })
      .last()
      .click()
  await admin.waitForTimeout(4000)
  await shot('admin-fulfilled', admin, true)
  who = page
  await page.getByText('Sent', { exact: true }).first().waitFor({ timeout: 30000 })
  await page.waitForTimeout(6000)
  await shot('order-sent', page, true)
  await page.goto(S + '/orders')
  await page.waitForTimeout(1000)
  await shot('orders')
  await page.goto(S + '/wallet')
  await page.waitForTimeout(1000)
  await shot('wallet', page, true)
  await page.goto(S + '/transactions')
  await page.waitForTimeout(1000)
  await shot('transactions')
  await page.goto(S + '/orders/' + order + '/receipt')
  await page.waitForTimeout(1000)
  await shot('receipt')
  await page.goto(S + '/')
  await page.waitForTimeout(1000)
  await shot('dashboard', page, true)
  await page.goto(S + '/pricing')
  await page.waitForTimeout(1000)
  await shot('pricing', page, true)
  await page.goto(S + '/nope')
  await page.waitForTimeout(500)
  await shot('404')
  await who.goto('http://127.0.0.1:18233/namespaces/tradepost/workflows')
  await who.waitForTimeout(3500)
  await shot('temporal', who)
  await who.goto('http://127.0.0.1:18091/')
  await who.waitForTimeout(800)
  await shot('sandbox', who, true)
} catch (e) {
  console.log('FAILED', e.message)
  await shot('failed', who, true)
}
await browser.close()
