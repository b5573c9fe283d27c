// The pages of the sandbox in a real browser: the hosted checkout, the mailbox,
// the control page, and Sumsub's own widget (@sumsub/websdk, unmodified) around
// the simulated one. axe finds nothing wrong with any, and no policy is broken.
import assert from 'node:assert/strict';
import { createHmac, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import sparticuz from '@sparticuz/chromium';
import { chromium } from 'playwright-core';
import Stripe from 'stripe';
import { control, origin, until } from './control.mjs';

const require = createRequire(import.meta.url);
const axe = await readFile(require.resolve('axe-core/axe.min.js'), 'utf8');
const websdk = await readFile(require.resolve('@sumsub/websdk/dist/index.esm.js'), 'utf8');

let browser;
let shop;
const complaints = [];

before(async () => {
	const executablePath = process.env.CHROMIUM_PATH || (await sparticuz.executablePath());
	browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', '--no-zygote'], headless: true });
	shop = await serveShop();
});

after(async () => {
	await browser?.close();
	shop?.close();
	assert.deepEqual(complaints, []);
});

/** The site of a customer of ours: it embeds the widget and gets customers back. */
async function serveShop() {
	const server = createServer(async (request, response) => {
		const { pathname, searchParams } = new URL(request.url, 'http://localhost');
		if (pathname === '/token') return response.end(await accessToken(searchParams.get('user')));
		if (pathname === '/websdk.js') return response.writeHead(200, { 'content-type': 'text/javascript' }).end(websdk);
		if (pathname !== '/kyc') return response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Shop</title><h1>Back at the shop</h1>');
		response.writeHead(200, { 'content-type': 'text/html' }).end(`<!doctype html><html lang="en"><title>KYC</title><main><h1>Verify</h1><div id="widget"></div></main>
<script type="module">
import snsWebSdk from '/websdk.js';
window.heard = [];
const token = () => fetch('/token' + location.search).then((answer) => answer.text());
snsWebSdk.init(await token(), () => { window.heard.push(['renewed', {}]); return token(); })
	.withBaseUrl(${JSON.stringify(origin)}).withConf({ lang: 'en' })
	.on('idCheck.onApplicantLoaded', (payload) => window.heard.push(['loaded', payload]))
	.onMessage((type, payload) => window.heard.push([type, payload]))
	.build().launch('#widget');
</script></html>`);
	});
	await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
	const close = () => {
		server.close();
		server.closeAllConnections();
	};
	return { origin: `http://localhost:${server.address().port}`, close };
}

async function accessToken(user) {
	const path = '/resources/accessTokens/sdk';
	const body = JSON.stringify({ userId: user, levelName: 'basic-kyc-level', ttlInSecs: 600 });
	const { now } = await (await fetch(`${origin}/control/clock`)).json();
	const second = String(Math.floor(Date.parse(now) / 1000));
	const signature = createHmac('sha256', process.env.SUMSUB_SECRET).update(`${second}POST${path}${body}`).digest('hex');
	const answer = await fetch(origin + path, {
		method: 'POST', body,
		headers: { 'content-type': 'application/json', 'x-app-token': process.env.SUMSUB_APP_TOKEN, 'x-app-access-ts': second, 'x-app-access-sig': signature },
	});
	return (await answer.json()).token;
}

/** A new page that notes errors and policy violations. */
async function open(url, options) {
	const page = await (await browser.newContext({ viewport: { width: 1200, height: 900 }, ...options })).newPage();
	page.on('pageerror', (error) => complaints.push(`${url}: ${error.message}`));
	page.on('console', (message) => {
		if (/Content Security Policy|Refused to/.test(message.text())) complaints.push(`${url}: ${message.text()}`);
	});
	await page.goto(url);
	return page;
}

/** axe over the page or frame, wide in light and narrow in dark. */
async function sound(page, frame = page) {
	for (const [colorScheme, width] of [['dark', 360], ['light', 1200]]) {
		await page.emulateMedia({ colorScheme });
		await page.setViewportSize({ width, height: 900 });
		const found = await frame.evaluate(`${axe}; axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })`);
		assert.deepEqual(found.violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]), [], `${page.url()} ${colorScheme} ${width}`);
		const overflow = await frame.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
		assert.ok(overflow <= 0, `${page.url()} scrolls sideways at ${width}`);
	}
	if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${shots++}.png`, fullPage: true });
}
let shots = 1;

async function checkout(order) {
	const { hostname: host, port } = new URL(origin);
	const stripe = new Stripe(process.env.STRIPE_KEY, { host, port, protocol: 'http', maxNetworkRetries: 0, telemetry: false });
	return stripe.checkout.sessions.create({
		mode: 'payment', client_reference_id: order, customer_email: 'casey@example.com',
		line_items: [{ quantity: 1, price_data: { currency: 'usd', unit_amount: 10_350, product_data: { name: '0.00153 BTC', description: 'Order 662E41' } } }],
		payment_intent_data: { capture_method: 'manual', metadata: { order_id: order } },
		success_url: `${shop.origin}/done?session={CHECKOUT_SESSION_ID}`, cancel_url: `${shop.origin}/cancelled`,
	});
}

test('a customer pays: a real number refused, a card declined, 3-D Secure failed and passed', async () => {
	const session = await checkout(randomUUID());
	const page = await open(session.url);
	await page.getByText('no real card is charged').waitFor();
	await sound(page);
	await page.getByLabel('Card number').fill('4111 1111 1111 1111');
	await page.getByLabel('Expiry (MM / YY)').fill('01/20');
	await page.getByRole('button', { name: 'Pay $103.50' }).click();
	await page.getByText('Use one of the listed test cards.').waitFor();
	await page.getByText('expiration date is in the past').waitFor();
	assert.equal(await page.getByLabel('Card number').inputValue(), '');
	await sound(page);
	await page.getByRole('button', { name: /Insufficient funds/ }).click();
	await page.getByRole('button', { name: 'Pay $103.50' }).click();
	await page.getByText('Your card has insufficient funds.').waitFor();
	await sound(page);
	await page.getByRole('button', { name: /3-D Secure 2/ }).click();
	await page.getByRole('button', { name: 'Pay $103.50' }).click();
	await page.getByRole('button', { name: 'Fail authentication' }).waitFor();
	await sound(page);
	await page.getByRole('button', { name: 'Fail authentication' }).click();
	await page.getByText('unable to authenticate').waitFor();
	await page.getByRole('button', { name: /3-D Secure 2/ }).click();
	await page.getByRole('button', { name: 'Pay $103.50' }).click();
	await page.getByRole('button', { name: 'Complete authentication' }).click();
	await page.getByText('Back at the shop').waitFor();
	assert.equal(page.url(), `${shop.origin}/done?session=${session.id}`);
	await page.goto(session.url);
	await page.getByText('already submitted').waitFor();
	await sound(page);
	await page.context().close();
});

test('a customer cancels', async () => {
	const page = await open((await checkout(randomUUID())).url);
	await page.getByRole('link', { name: 'Cancel and go back' }).click();
	await page.getByText('Back at the shop').waitFor();
	assert.equal(page.url(), `${shop.origin}/cancelled`);
	await page.context().close();
});

test("Sumsub's own widget: submitted, asked again, token renewed, approved, overturned", async () => {
	const user = randomUUID();
	const page = await open(`${shop.origin}/kyc?user=${user}`);
	const frame = page.frameLocator('iframe');
	const heard = (type, check = () => true) => until(async () => (await page.evaluate('window.heard')).some(([name, payload]) => name === type && check(payload)));
	const upTo = async (outcome) => {
		await frame.getByRole('button', { name: 'Continue' }).click();
		await frame.getByRole('button', { name: 'Use this sample photo' }).click();
		await frame.getByRole('button', { name: 'Use this sample selfie' }).click();
		await frame.getByLabel(outcome).check();
	};
	await frame.getByRole('heading', { name: 'Choose your document' }).waitFor();
	await heard('loaded', ({ applicantId }) => /^[0-9a-z]{24}$/.test(applicantId));
	await sound(page, page.frames()[1]);
	await upTo('Ask for a new photo');
	await sound(page, page.frames()[1]);
	await frame.getByRole('button', { name: 'Submit for review' }).click();
	await heard('idCheck.onApplicantSubmitted');
	await frame.getByText('not sharp enough').waitFor();
	await frame.getByRole('button', { name: 'Try again' }).click();
	await upTo('Approve');
	await frame.getByRole('button', { name: 'Expire the access token' }).click();
	await heard('renewed');
	await frame.getByRole('button', { name: 'Submit for review' }).click();
	await heard('idCheck.onApplicantResubmitted');
	await frame.getByRole('heading', { name: 'You are verified' }).waitFor();
	await heard('idCheck.onApplicantStatusChanged', ({ reviewStatus, reviewResult }) => reviewStatus === 'completed' && reviewResult.reviewAnswer === 'GREEN');
	await sound(page, page.frames()[1]);
	const height = await page.locator('iframe').evaluate((element) => element.offsetHeight);
	assert.ok(height > 150 && height < 900, `the widget's height follows its content: ${height}`);
	await control('sumsub/decide', { user, outcome: 'reject' });
	await frame.getByRole('heading', { name: 'We couldn’t verify your identity' }).waitFor();
	await page.context().close();
});

test('the control page arms and clears a fault, opens a dispute, moves the clock', async () => {
	const page = await open(origin);
	await page.getByLabel('Operation').fill('capture');
	await page.getByLabel('Code').fill('drop_after');
	await page.getByLabel('Order or marker').fill('ord-none');
	await page.getByRole('button', { name: 'Arm' }).click();
	await page.getByText('Fault armed.').waitFor();
	await sound(page);
	await page.getByRole('button', { name: 'Clear drop_after on' }).click();
	await page.getByText('No fault is armed.').waitFor();
	await page.getByLabel('Move forward by').fill('90m');
	await page.getByRole('button', { name: 'Advance' }).click();
	await page.getByText('1h30m0s ahead').waitFor();
	await page.context().close();
});

test('the mailbox shows what was sent', async () => {
	const page = await open(`${origin}/mailbox`);
	await page.getByText('No e-mails yet').waitFor();
	await sound(page);
	await page.context().close();
});
