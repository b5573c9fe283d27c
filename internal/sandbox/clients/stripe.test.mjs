// The stripe package, unmodified, against the Stripe simulator.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { after, before, test } from 'node:test';
import Stripe from 'stripe';
import { control, effects, fault, origin, receiveHooks, until } from './control.mjs';

const { hostname: host, port } = new URL(origin);
const httpClient = Stripe.createNodeHttpClient(new Agent({ keepAlive: false }));
const connect = (key = process.env.STRIPE_KEY) => new Stripe(key, { host, port, protocol: 'http', httpClient, maxNetworkRetries: 0, telemetry: false });
const stripe = connect();

let hooks;

before(async () => {
	hooks = await receiveHooks();
});

after(() => hooks.close());

/** A checkout page of an order, card on hold until captured. */
const checkout = (order, options) =>
	stripe.checkout.sessions.create({
		mode: 'payment',
		line_items: [{ quantity: 1, price_data: { currency: 'usd', unit_amount: 10_000, product_data: { name: 'Bitcoin' } } }],
		payment_method_types: ['card'],
		payment_intent_data: { capture_method: 'manual', metadata: { order_id: order } },
		client_reference_id: order,
		metadata: { order_id: order },
		success_url: 'http://localhost:1/orders?session={CHECKOUT_SESSION_ID}',
		cancel_url: 'http://localhost:1/cancelled',
	}, options);

/** What the customer's browser posts on the hosted page. */
const pay = (session, number) =>
	fetch(session.url, { method: 'POST', redirect: 'manual', body: new URLSearchParams({ number, expiry: '12/40', cvc: '123', name: 'Ada' }) });

const paid = async (order, number = '4242424242424242') => {
	const session = await checkout(order);
	const answer = await pay(session, number);
	assert.equal(answer.status, 303);
	const { payment_intent: intent } = await stripe.checkout.sessions.retrieve(session.id, { expand: ['payment_intent.latest_charge'] });
	return { session, answer, intent };
};

test('a card is held by the hosted page, captured once, refunded; every event verifies', async () => {
	const order = randomUUID();
	const { session, answer, intent } = await paid(order);
	assert.equal(answer.headers.get('location'), `http://localhost:1/orders?session=${session.id}`);
	assert.deepEqual([intent.status, intent.amount_capturable, intent.metadata.order_id], ['requires_capture', 10_000, order]);
	const { card } = intent.latest_charge.payment_method_details;
	assert.deepEqual([card.brand, card.last4], ['visa', '4242']);
	assert.ok(card.capture_before > Date.now() / 1000 + 6 * 86_400);

	const idempotencyKey = `ord:${order}:capture:1`;
	const captured = await stripe.paymentIntents.capture(intent.id, {}, { idempotencyKey });
	const replayed = await stripe.paymentIntents.capture(intent.id, {}, { idempotencyKey });
	assert.deepEqual([captured.status, replayed.amount_received], ['succeeded', 10_000]);
	await assert.rejects(stripe.paymentIntents.capture(intent.id), { code: 'payment_intent_unexpected_state', statusCode: 400 });
	assert.equal(await effects('stripe', 'capture', order), 1);
	await assert.rejects(stripe.paymentIntents.capture(intent.id, { amount_to_capture: 5 }, { idempotencyKey }), { type: 'StripeIdempotencyError' });

	const refund = await stripe.refunds.create({ payment_intent: intent.id, amount: 2_500 });
	assert.equal((await stripe.refunds.retrieve(refund.id)).amount, 2_500);
	await assert.rejects(stripe.refunds.create({ payment_intent: intent.id, amount: 7_501 }), { type: 'StripeInvalidRequestError' });

	const about = ({ body }) => body.includes(intent.id);
	await until(() => ['checkout.session.completed', 'payment_intent.succeeded', 'charge.refunded'].every((type) => hooks.notices.filter(about).some(({ body }) => JSON.parse(body).type === type)));
	for (const { body, headers } of hooks.notices) {
		assert.match(stripe.webhooks.constructEvent(body, headers['stripe-signature'], process.env.STRIPE_WEBHOOK_SECRET).id, /^evt_/);
		assert.throws(() => stripe.webhooks.constructEvent(`${body} `, headers['stripe-signature'], process.env.STRIPE_WEBHOOK_SECRET), Stripe.errors.StripeSignatureVerificationError);
	}
});

test('declined, then another card; 3-D Secure; cancelled', async () => {
	const session = await checkout(randomUUID());
	assert.equal((await pay(session, '4000000000000002')).headers.get('location'), `/pay/${session.id}`);
	const declined = (await stripe.checkout.sessions.retrieve(session.id, { expand: ['payment_intent'] })).payment_intent;
	assert.equal(declined.last_payment_error.decline_code, 'generic_decline');
	const challenge = (await pay(session, '4000000000003220')).headers.get('location');
	assert.equal(challenge, `/pay/${session.id}/authenticate`);
	assert.equal((await stripe.paymentIntents.retrieve(declined.id)).status, 'requires_action');
	await fetch(origin + challenge, { method: 'POST', redirect: 'manual', body: new URLSearchParams({ result: 'complete' }) });
	assert.equal((await stripe.paymentIntents.retrieve(declined.id)).status, 'requires_capture');
	const cancelled = await stripe.paymentIntents.cancel(declined.id, { cancellation_reason: 'requested_by_customer' });
	assert.deepEqual([cancelled.status, cancelled.cancellation_reason], ['canceled', 'requested_by_customer']);
});

test('cards confirmed over the API, and lists page', async () => {
	const create = (payment_method) => stripe.paymentIntents.create({ amount: 500, currency: 'usd', capture_method: 'manual', payment_method_types: ['card'], payment_method, confirm: true });
	assert.equal((await create('pm_card_mastercard')).status, 'requires_capture');
	await assert.rejects(create('pm_card_visa_chargeDeclinedInsufficientFunds'), (error) => error.type === 'StripeCardError' && error.decline_code === 'insufficient_funds');
	const ids = [];
	for await (const intent of stripe.paymentIntents.list({ limit: 2 })) ids.push(intent.id);
	assert.equal(new Set(ids).size, ids.length);
	assert.ok(ids.length >= 4);
});

test('refusals and faults are the ones the client knows', async () => {
	await assert.rejects(connect('sk_test_nobody').balance.retrieve(), Stripe.errors.StripeAuthenticationError);
	await assert.rejects(stripe.paymentIntents.retrieve('pi_none'), { code: 'resource_missing', statusCode: 404 });
	await assert.rejects(stripe.paymentIntents.create({ amount: 500 }), { code: 'parameter_missing', param: 'currency' });
	await fault('stripe', 'read_balance', '429');
	await assert.rejects(stripe.balance.retrieve(), Stripe.errors.StripeRateLimitError);

	const order = randomUUID();
	const { intent } = await paid(order);
	// Twice: the client sends again by itself when a connection is reset.
	await fault('stripe', 'capture', 'drop_after', { match: order, count: '2' });
	await assert.rejects(stripe.paymentIntents.capture(intent.id, {}, { idempotencyKey: `ord:${order}:capture:1` }), Stripe.errors.StripeConnectionError);
	assert.equal((await stripe.paymentIntents.retrieve(intent.id)).status, 'succeeded');
	assert.equal((await stripe.paymentIntents.capture(intent.id, {}, { idempotencyKey: `ord:${order}:capture:1` })).amount_received, 10_000);
	assert.equal(await effects('stripe', 'capture', order), 1);
});

test('the same key means the same request: replayed, refused, and kept with a 500', async () => {
	const create = (amount, idempotencyKey) => stripe.paymentIntents.create({ amount, currency: 'usd', capture_method: 'manual', payment_method_types: ['card'] }, { idempotencyKey });
	const key = randomUUID();
	const first = await create(700, key);
	const again = await create(700, key);
	assert.deepEqual([again.id, again.lastResponse.headers['idempotent-replayed']], [first.id, 'true']);
	await assert.rejects(create(701, key), (error) => error instanceof Stripe.errors.StripeIdempotencyError && error.statusCode === 400);
	await assert.rejects(stripe.customers.create({ email: 'ada@example.com' }, { idempotencyKey: key }), Stripe.errors.StripeIdempotencyError);
	const lost = randomUUID();
	await fault('stripe', 'create_payment', '500_stored', { match: lost });
	for (let i = 0; i < 2; i++) await assert.rejects(create(700, lost), (error) => error instanceof Stripe.errors.StripeAPIError && error.statusCode === 500);
	await assert.rejects(create(10, key + 'x'), { code: 'amount_too_small' });
	assert.equal((await create(900, key + 'x')).amount, 900, 'a parameter that is refused is not kept');
});

test('what is not there: 404 for a path, 400 for a parameter', async () => {
	await assert.rejects(stripe.refunds.retrieve('re_none'), { code: 'resource_missing', statusCode: 404 });
	await assert.rejects(stripe.refunds.create({ payment_intent: 'pi_none' }), { code: 'resource_missing', statusCode: 400, param: 'payment_intent' });
	for (const param of ['starting_after', 'ending_before']) {
		await assert.rejects(stripe.charges.list({ [param]: 'ch_none' }), { code: 'resource_missing', statusCode: 400, param, message: "No such charge: 'ch_none'" });
	}
	const { id } = await stripe.customers.create({ email: 'ada@example.com' });
	await assert.rejects(stripe.customers.retrieve(id, { expand: ['email'] }), { param: 'expand' });
	await assert.rejects(stripe.paymentIntents.create({ amount: 500, currency: 'usd', colour: 'red' }), { code: 'parameter_unknown', param: 'colour' });
});

test('every cent of the balance is on the statement; a refund is called back while it waits', async () => {
	const order = randomUUID();
	const { intent } = await paid(order);
	await stripe.paymentIntents.capture(intent.id);
	const before = (await stripe.balance.retrieve()).available[0].amount;
	await assert.rejects(stripe.refunds.cancel((await stripe.refunds.create({ charge: intent.latest_charge.id, amount: 100 })).id), { type: 'StripeInvalidRequestError' });
	await fault('stripe', 'refund', 'refund_waits', { match: order });
	const waiting = await stripe.refunds.create({ payment_intent: intent.id, amount: 250, expand: ['balance_transaction'] });
	assert.deepEqual([waiting.status, waiting.balance_transaction.net], ['requires_action', -250]);
	const cancelled = await stripe.refunds.cancel(waiting.id, { expand: ['failure_balance_transaction'] });
	assert.deepEqual([cancelled.status, cancelled.failure_balance_transaction.net], ['canceled', 250]);
	const charge = await stripe.charges.retrieve(intent.latest_charge.id, { expand: ['balance_transaction'] });
	assert.deepEqual([charge.amount_refunded, charge.balance_transaction.type, charge.balance_transaction.amount], [100, 'charge', 10_000]);
	await control('stripe/dispute', { charge: charge.id });
	let sum = 0;
	for await (const line of stripe.balanceTransactions.list({ limit: 3 })) sum += line.net;
	const { available } = await stripe.balance.retrieve();
	assert.equal(sum, available[0].amount);
	assert.equal(available[0].amount, before - 100 - 9_900 - 1_500);
	const [withdrawn] = (await stripe.balanceTransactions.list({ type: 'adjustment' })).data;
	assert.equal((await stripe.balanceTransactions.retrieve(withdrawn.id)).reporting_category, 'dispute');
});

test('a dispute that nobody answers is past due', async () => {
	const { intent } = await paid(randomUUID());
	await stripe.paymentIntents.capture(intent.id);
	await control('stripe/dispute', { charge: intent.latest_charge.id });
	const [dispute] = (await stripe.disputes.list({ payment_intent: intent.id })).data;
	assert.equal(dispute.evidence_details.past_due, false);
	await control('clock', { advance: '169h' });
	const late = await stripe.disputes.retrieve(dispute.id);
	assert.deepEqual([late.status, late.evidence_details.past_due], ['needs_response', true]);
	await assert.rejects(stripe.disputes.update(dispute.id, { evidence: { uncategorized_text: 'It was sent.' }, submit: true }), { type: 'StripeInvalidRequestError' });
	assert.equal((await stripe.disputes.close(dispute.id)).status, 'lost');
});

test('search finds by field and metadata, page by page, and lags when it is told to', async () => {
	const order = randomUUID();
	const { intent } = await paid(order);
	const ids = async (query) => (await stripe.paymentIntents.search({ query })).data.map(({ id }) => id);
	assert.deepEqual(await ids(`metadata['order_id']:'${order}' AND status:'requires_capture'`), [intent.id]);
	assert.deepEqual(await ids(`metadata["order_id"]:"${order}" amount>10000`), []);
	assert.ok((await ids(`metadata['order_id']:'${order}' OR amount<100`)).includes(intent.id));
	assert.ok(!(await ids(`-metadata['order_id']:'${order}'`)).includes(intent.id));
	const charges = await stripe.charges.search({ query: `payment_method_details.card.last4:'4242' AND currency:'usd'`, limit: 1 });
	assert.ok(charges.has_more && charges.next_page);
	const seen = [];
	for await (const charge of stripe.charges.search({ query: `payment_method_details.card.last4:'4242'`, limit: 1 })) seen.push(charge.id);
	assert.ok(seen.length > 1 && new Set(seen).size === seen.length);
	const email = `${order}@example.com`;
	const customer = await stripe.customers.create({ email });
	assert.equal((await stripe.customers.search({ query: `email~'${order}'` })).data[0].id, customer.id);
	for (const query of ['colour:"red"', 'status', `status:'a' AND amount>1 OR amount<1`]) {
		await assert.rejects(stripe.paymentIntents.search({ query }), { type: 'StripeInvalidRequestError', param: 'query' });
	}
	await fault('stripe', 'search', 'lag', { arg: '60', match: order });
	assert.deepEqual(await ids(`metadata['order_id']:'${order}'`), []);
	assert.deepEqual(await ids(`metadata['order_id']:'${order}'`), [intent.id]);
});

test('webhook endpoints are made with a secret that signs, changed, and listed; a restricted key is told what it lacks', async () => {
	const url = process.env.HOOK_URL + '/stripe';
	const made = await stripe.webhookEndpoints.create({ url, enabled_events: ['checkout.session.expired'], api_version: '2026-03-25.dahlia' });
	assert.match(made.secret, /^whsec_/);
	const changed = await stripe.webhookEndpoints.update(made.id, { enabled_events: ['checkout.session.expired', 'refund.created'], disabled: false });
	assert.deepEqual([changed.status, changed.secret, changed.enabled_events.length], ['enabled', undefined, 2]);
	assert.deepEqual((await stripe.webhookEndpoints.list()).data.map(({ id, status }) => [id, status])[0], [made.id, 'enabled']);
	const { id } = await checkout(randomUUID());
	await stripe.checkout.sessions.expire(id);
	await until(() => hooks.notices.some(({ body, headers }) => {
		try {
			return stripe.webhooks.constructEvent(body, headers['stripe-signature'], made.secret).data.object.id === id;
		} catch {
			return false;
		}
	}));
	await control('stripe/permissions', { denied: 'webhook_write' });
	await assert.rejects(stripe.webhookEndpoints.update(made.id, { disabled: true }), { type: 'StripePermissionError', statusCode: 403, message: /rak_webhook_write/ });
	assert.equal((await stripe.webhookEndpoints.retrieve(made.id)).status, 'enabled');
	await control('stripe/permissions', { denied: '' });
	assert.equal((await stripe.webhookEndpoints.del(made.id)).deleted, true);
});

test('a page expires by the clock, and an authorisation lapses', async () => {
	const session = await checkout(randomUUID());
	const { intent } = await paid(randomUUID());
	await control('clock', { advance: '25h' });
	assert.equal((await stripe.checkout.sessions.retrieve(session.id)).status, 'expired');
	await control('clock', { advance: '168h' });
	assert.equal((await stripe.paymentIntents.retrieve(intent.id)).status, 'canceled');
});
