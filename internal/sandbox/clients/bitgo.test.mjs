// @bitgo/sdk-api, unmodified, against the BitGo simulator: it signs every
// request and refuses an answer whose HMAC is wrong. Express is spoken to with
// the plain token, as its clients do.
import assert from 'node:assert/strict';
import { createHmac, randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { BitGoAPI } from '@bitgo/sdk-api';
import { control, effects, fault, origin, receiveHooks, until } from './control.mjs';

const wallets = Object.fromEntries(process.env.BITGO_WALLETS.split(',').map((entry) => entry.split('=')));
const bitcoin = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4';
const ether = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const tron = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';

const connect = (accessToken) => new BitGoAPI({ env: 'custom', customRootURI: origin, accessToken });
const bitgo = connect(process.env.BITGO_TOKEN);
const url = (coin, rest = '') => bitgo.url(`/${coin}/wallet/${wallets[coin]}${rest}`, 2);
const read = (coin, rest) => bitgo.get(url(coin, rest)).result();
const send = (coin, fields) => bitgo.post(url(coin, '/sendcoins')).send({ walletPassphrase: 'x', ...fields }).result();

/** The same calls with the plain token, as Express takes it. */
async function express(method, path, body, token = process.env.BITGO_TOKEN) {
	const answer = await fetch(origin + path, { method, headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' }, body: body && JSON.stringify(body) });
	return { status: answer.status, body: await answer.json() };
}

let hooks;

before(async () => {
	hooks = await receiveHooks();
	// Transfers move when a test moves the clock, not before.
	await control('bitgo/pace', { unconfirmed: '30m', confirmed: '60m', block: '10m' });
});

after(() => hooks.close());

test('wallets show what can be spent', async () => {
	const wallet = await read('btc');
	assert.equal(wallet.id, wallets.btc);
	assert.equal(wallet.spendableBalanceString, '2500000000');
	const eth = await read('eth', '?allTokens=true');
	assert.equal(eth.spendableBalanceString, '400000000000000000000');
	assert.equal(eth.tokens.usdt.spendableBalanceString, '500000000000');
	assert.ok(BigInt((await read('btc', '/maximumSpendable')).maximumSpendable) < 2_500_000_000n);
	assert.ok((await bitgo.get(bitgo.url('/btc/tx/fee?numBlocks=2', 2)).result()).feePerKb > 0);
	assert.equal((await bitgo.me()).username, 'ops@tradepost.example');
	assert.match((await bitgo.ping()).status, /ok/, 'open calls are signed for those who sign');
});

test('a send is found by each identity, walks to confirmed, tells signed webhooks, and happens once', async () => {
	const sequenceId = `ord-${randomUUID()}-send-1`;
	const look = () => read('btc', `/transfer/sequenceId/${sequenceId}`);
	await assert.rejects(look(), { status: 404 });
	const sent = await send('btc', { address: bitcoin, amount: '150000', sequenceId });
	assert.match(sent.txid, /^[0-9a-f]{64}$/);
	assert.equal(sent.transfer.valueString, '-152000');
	const found = await look();
	assert.deepEqual([found.state, found.height, found.feeString], ['signed', 999_999_999, '2000']);
	assert.equal((await read('btc', `/transfer/${sent.txid}`)).id, found.id);
	assert.equal((await read('btc', `/transfer?type=send&state=signed&searchLabel=${sequenceId}`)).transfers[0].id, found.id);
	const { balanceString, confirmedBalanceString, spendableBalanceString } = await read('btc');
	assert.deepEqual([balanceString, confirmedBalanceString, spendableBalanceString], ['2499848000', '2500000000', '2499848000']);

	await assert.rejects(send('btc', { address: bitcoin, amount: '150000', sequenceId }), { status: 400 });
	await control('clock', { advance: '31m' });
	assert.equal((await look()).state, 'unconfirmed');
	await control('clock', { advance: '50m' });
	const confirmed = await look();
	assert.equal(confirmed.state, 'confirmed');
	assert.ok(confirmed.confirmations >= 1 && confirmed.confirmations < 6);
	assert.equal((await read('btc')).confirmedBalanceString, '2499848000');
	assert.equal(await effects('bitgo', 'send', sequenceId), 1);

	await until(() => hooks.notices.filter(({ body }) => JSON.parse(body).transfer === found.id).length === 2);
	for (const { path, body, headers } of hooks.notices) {
		assert.equal(path, '/bitgo');
		assert.equal(headers['x-signature-sha256'], createHmac('sha256', process.env.BITGO_WEBHOOK_SECRET).update(body).digest('hex'));
	}
});

test('tokens pay their gas from the wallet of eth, TRC-20 pays none', async () => {
	const gas = BigInt((await read('eth')).spendableBalanceString);
	const { transfer } = await send('usdt', { address: ether, amount: '25000000', sequenceId: randomUUID() });
	assert.equal(gas - BigInt((await read('eth')).spendableBalanceString), BigInt(transfer.feeString));
	assert.equal((await read('usdt')).spendableBalanceString, '499975000000');
	const byName = await bitgo.post(url('eth', '/sendcoins')).send({ walletPassphrase: 'x', address: ether, amount: '1', tokenName: 'usdc' }).result();
	assert.equal(byName.transfer.coin, 'usdc');
	const free = await send('trx:usdt', { address: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8', amount: '1000000', sequenceId: randomUUID() });
	assert.equal(free.transfer.feeString, '0');
	const many = await bitgo.post(url('eth', '/sendmany')).send({ walletPassphrase: 'x', recipients: [{ address: ether, amount: '1' }, { address: ether, amount: '2' }] }).result();
	assert.equal(many.transfer.baseValueString, '-3');
});

test('a send over the policy waits for another person', async () => {
	const sequenceId = `ord-${randomUUID()}-send-1`;
	await control('bitgo/policy', { coin: 'btc', limit: '1000000' });
	const path = `/api/v2/btc/wallet/${wallets.btc}/sendcoins`;
	const { status, body } = await express('POST', path, { address: bitcoin, amount: '1000001', sequenceId });
	assert.equal(status, 202);
	assert.equal(body.pendingApproval.state, 'pending');
	assert.equal((await read('btc', `/transfer/sequenceId/${sequenceId}`)).state, 'pendingApproval');
	const approval = `/api/v2/btc/pendingapprovals/${body.pendingApproval.id}`;
	assert.equal((await express('PUT', approval, { state: 'approved' })).status, 403);
	assert.equal(await effects('bitgo', 'send', sequenceId), 0);
	const held = (await read('btc')).spendableBalanceString;
	assert.equal((await express('PUT', approval, { state: 'approved' }, process.env.BITGO_TOKEN_UNLIMITED)).body.state, 'approved');
	const approved = await read('btc', `/transfer/sequenceId/${sequenceId}`);
	assert.equal(approved.state, 'signed');
	assert.match(approved.txid, /^[0-9a-f]{64}$/);
	assert.equal((await read('btc')).spendableBalanceString, held);

	const second = await express('POST', path, { address: bitcoin, amount: '1000001', sequenceId: randomUUID() });
	await control(`bitgo/approvals/${second.body.id}`, { state: 'rejected' });
	assert.equal((await express('GET', `/api/v2/btc/pendingapprovals?walletId=${wallets.btc}&state=rejected`)).body.pendingApprovals[0].id, second.body.id);
	assert.equal((await read('btc')).spendableBalanceString, held);
	await control('bitgo/policy', { coin: 'btc', limit: '' });
});

test('refusals', async () => {
	const name = async (promise) => (await promise.then(() => assert.fail('accepted'), (error) => error)).result.name;
	assert.equal(await name(send('btc', { address: bitcoin.slice(0, -1) + '5', amount: '1' })), 'InvalidAddress');
	assert.equal(await name(send('btc', { address: bitcoin, amount: '0.5' })), 'InvalidAmount');
	assert.equal(await name(send('btc', { address: bitcoin, amount: '2500000001' })), 'InsufficientBalance');
	assert.equal(await name(bitgo.get(bitgo.url(`/btc/wallet/${wallets.eth}`, 2)).result()), 'InvalidWalletId');
	await assert.rejects(connect('v2xnobody').get(url('btc')).result());
	assert.equal((await express('GET', `/api/v2/btc/wallet/${wallets.btc}`, undefined, 'nobody')).status, 401);
	assert.equal((await express('GET', '/api/v2/nocoin/wallet/1')).status, 400);
	for (const [coin, address, isValid] of [
		['btc', bitcoin, true], ['btc', 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx', false], ['btc', '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy', true],
		['eth', ether, true], ['usdt', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD', false], ['eth', tron, false], ['trx:usdt', tron, true],
	]) {
		assert.equal((await express('POST', `/api/v2/${coin}/verifyaddress`, { address })).body.isValid, isValid, `${coin} ${address}`);
	}
});

test('faults: unknown outcomes, hidden transfers, replaced, removed and failed ones', async () => {
	const lost = `ord-${randomUUID()}-send-1`;
	await fault('bitgo', 'sendcoins', 'http:500_after', { match: lost });
	await assert.rejects(send('btc', { address: bitcoin, amount: '5000', sequenceId: lost }), { status: 500 });
	assert.equal((await read('btc', `/transfer/sequenceId/${lost}`)).state, 'signed');
	assert.equal(await effects('bitgo', 'send', lost), 1);
	await fault('bitgo', 'wallet', '429');
	await assert.rejects(read('btc'), { status: 429 });

	const before = BigInt((await read('btc')).balanceString);
	const fates = {};
	for (const [code, arg] of [['failed'], ['replaced'], ['removed'], ['lag', '7200']]) {
		const sequenceId = (fates[code] = `ord-${randomUUID()}-send-1`);
		await fault('bitgo', 'sendcoins', code, { match: sequenceId, arg: arg ?? '' });
		await send('btc', { address: bitcoin, amount: '10000', sequenceId });
	}
	const state = async (code) => read('btc', `/transfer/sequenceId/${fates[code]}`);
	await assert.rejects(state('lag'), { status: 404 });
	await control('clock', { advance: '61m' });
	assert.equal((await state('failed')).state, 'failed');
	assert.equal((await state('removed')).state, 'removed');
	const { state: old, replacedBy } = await state('replaced');
	assert.equal(old, 'replaced');
	await control('clock', { advance: '121m' });
	assert.equal((await state('removed')).state, 'confirmed');
	assert.equal((await state('lag')).state, 'confirmed');
	const bumped = await read('btc', `/transfer/${replacedBy[0]}`);
	assert.deepEqual([bumped.state, bumped.feeString], ['confirmed', '3000']);
	// Three sends left the wallet: the failed one gave everything back.
	assert.equal(before - BigInt((await read('btc')).balanceString), 12000n + 12000n + 13000n);
});

test("a wallet's webhooks are added, simulated and removed, and the session tells what the token may do", async () => {
	const to = 'http://localhost:1/hooks';
	const added = await bitgo.post(url('btc', '/webhooks')).send({ type: 'transfer', url: to, label: 'test', listenToFailureStates: true }).result();
	assert.deepEqual([added.type, added.url, added.state, added.listenToFailureStates], ['transfer', to, 'active', true]);
	const listed = await read('btc', '/webhooks');
	assert.ok(listed.webhooks.some(({ id }) => id === added.id));
	const { webhookNotifications } = await bitgo.post(url('btc', `/webhooks/${added.id}/simulate`)).send({}).result();
	assert.equal(webhookNotifications[0].url, to);
	const notificationPayload = '{"type":"transfer"}';
	const signature = createHmac('sha256', process.env.BITGO_WEBHOOK_SECRET).update(notificationPayload).digest('hex');
	assert.deepEqual(await bitgo.post(bitgo.url(`/webhook/${added.id}/verify`, 2)).send({ signature, notificationPayload }).result(), { webhookId: added.id, isValid: true });
	assert.equal((await bitgo.del(url('btc', '/webhooks')).send({ type: 'transfer', url: to }).result()).removed, 1);
	const { scope } = await bitgo.session();
	assert.ok(scope.includes('wallet_spend_all'));
});
