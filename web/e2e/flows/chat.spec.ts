import { shows } from '../fixtures/expect'
import { signUp } from '../fixtures/people'
import { expect, test } from '../fixtures/test'

test('without a key the chat button only shows a toast', async ({ page }) => {
  await signUp(page)
  await page.getByRole('button', { name: 'Live chat' }).click()
  await expect(page.locator('[data-toast]')).toContainText(
    'Live chat isn’t available on this page. Contact support instead.',
  )
  await expect(page.locator('[data-toast]').getByRole('link')).toHaveAttribute('href', '/support')
})

test('with a key the chat is loaded once agreed to, on its page alone', async ({ page, siteWith }) => {
  const key = 'abcdefghijklmnopqrstuvwxyz012345'
  const site = await siteWith({ TIDIO_PUBLIC_KEY: key })
  const asked: string[] = []
  await page.route('https://code.tidio.co/**', (route) => {
    asked.push(`${route.request().url()} on ${new URL(page.url()).pathname}`)
    return route.fulfill({
      contentType: 'text/javascript',
      body: "document.title = 'chat with ' + document.tidioIdentify.email",
    })
  })
  const email = await signUp(page)
  const policyOf = async (path: string) =>
    (await page.request.get(`${site}${path}`)).headers()['content-security-policy']

  await test.step('reached from another page: asked first, and refusing loads nothing', async () => {
    await page.goto(`${site}/wallet`)
    await page.getByRole('link', { name: 'Dashboard' }).first().click()
    await page.getByRole('button', { name: 'Live chat' }).click()
    await expect(page.getByText('Tidio provides our live chat.', { exact: false })).toBeVisible()
    await page.getByRole('button', { name: 'Not now' }).click()
    expect(await policyOf('/dashboard')).not.toContain('tidio')
    expect(asked).toEqual([])
  })

  await test.step('agreed to, it is there and knows who is writing', async () => {
    await page.getByRole('button', { name: 'Live chat' }).click()
    await page.getByRole('button', { name: 'Start chat' }).click()
    await shows(
      '§3 the chat script is loaded and its visitor identified, after consent (rules §9)',
      expect(page).toHaveTitle(`chat with ${email}`),
    )
    expect(asked).toEqual([`https://code.tidio.co/${key}.js on /dashboard`])
    expect(await policyOf('/dashboard')).toContain('https://code.tidio.co')
  })

  await test.step('where people pay it is neither loaded nor allowed', async () => {
    await page.getByRole('link', { name: 'Buy Crypto' }).first().click()
    await expect(page.getByRole('heading', { level: 1, name: 'Buy Crypto' })).toBeVisible()
    await expect(page.locator('script[src*=tidio]')).toHaveCount(0)
    await expect(page).toHaveTitle(/^Buy Crypto/)
    expect(await policyOf('/buy')).not.toContain('tidio')
    expect(asked).toHaveLength(1)
  })

  await test.step('back on its page it is there again by itself', async () => {
    await page.goto(`${site}/dashboard`)
    await expect(page).toHaveTitle(`chat with ${email}`)
  })
})
