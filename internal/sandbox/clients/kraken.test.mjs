// ccxt's kraken class, unmodified, against the Kraken simulator.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, test } from 'node:test';
import ccxt from 'ccxt';
import { control, effects, fault, origin } from './control.mjs';

// ccxt's own nonce is the millisecond, and two calls may share one: this rises with each call of any connection.
let lastNonce = 0;
const nonce = () => {
	lastNonce = Math.max(lastNonce + 1, Date.now());
	return lastNonce;
};

const connect = (apiKey = process.env.KRAKEN_KEY, secret = process.env.KRAKEN_SECRET) => {
	const exchange = new ccxt.kraken({ apiKey, secret, enableRateLimit: false, timeout: 5000 });
	exchange.nonce = nonce;
	exchange.urls.api = { ...exchange.urls.api, public: origin, private: origin };
	return exchange;
};

let kraken;

before(async () => {
	await control('kraken/freeze', { frozen: 'true' });
	await control('kraken/prices', { pair: 'XBT/USD', ask: '50000.0', bid: '49999.9' });
	await control('kraken/prices', { pair: 'ETHUSD', ask: '2500.00', bid: '2499.50' });
	// The ordinary account's counters are the subject of one test only.
	await control('kraken/tier', { tier: 'unlimited' });
	kraken = connect();
	await kraken.loadMarkets();
});

test('markets, status and prices', async () => {
	const market = kraken.market('BTC/USD');
	assert.equal(market.id, 'XXBTZUSD');
	assert.equal(market.taker, 0.004);
	assert.equal(market.limits.amount.min, 0.00005);
	assert.deepEqual(Object.keys(kraken.markets).sort(), ['BTC/USD', 'ETH/USD', 'USDC/USD', 'USDT/USD']);
	const ticker = await kraken.fetchTicker('BTC/USD');
	assert.equal(ticker.ask, 50000);
	assert.equal(ticker.bid, 49999.9);
	assert.ok(ticker.low <= ticker.last && ticker.last <= ticker.high);
	assert.equal(Object.keys(await kraken.fetchTickers()).length, 4);
	assert.equal((await kraken.fetchOrderBook('ETH/USD')).asks[0][0], 2500);
	const tape = await kraken.fetchTrades('BTC/USD', undefined, 10);
	assert.ok(tape.length === 10 && tape.every(({ price, amount, side }) => price > 0 && amount > 0 && (side === 'buy' || side === 'sell')));
	const candles = await kraken.fetchOHLCV('BTC/USD', '1h');
	assert.equal(candles.length, 720);
	for (const [, open, high, low, close] of candles) assert.ok(low <= Math.min(open, close) && high >= Math.max(open, close));
	assert.ok(Math.abs((await kraken.fetchTime()) - Date.now()) < 2000);
	assert.equal((await kraken.fetchStatus()).status, 'ok');
});

test('a limit IOC order fills, reads back by every look-up and moves the balance', async () => {
	const before = await kraken.fetchBalance();
	const clientOrderId = randomUUID();
	const placed = await kraken.createOrder('BTC/USD', 'limit', 'buy', 0.5, 50500, { clientOrderId, timeInForce: 'IOC' });
	assert.match(placed.id, /^O[A-Z2-7]{5}-[A-Z2-7]{5}-[A-Z2-7]{6}$/);

	const order = await kraken.fetchOrder(placed.id);
	assert.equal(order.status, 'closed');
	assert.equal(order.filled, 0.5);
	assert.equal(order.average, 50000);
	assert.equal(order.cost, 25000);
	assert.equal(order.clientOrderId, clientOrderId);
	assert.equal((await kraken.fetchClosedOrders('BTC/USD', undefined, undefined, { cl_ord_id: clientOrderId }))[0].id, placed.id);
	assert.deepEqual(await kraken.fetchOpenOrders(), []);

	const after = await kraken.fetchBalance();
	assert.equal(+(after.BTC.total - before.BTC.total).toFixed(8), 0.5);
	assert.equal(+(before.USD.total - after.USD.total).toFixed(4), +(order.cost + Number(order.fee.cost)).toFixed(4));
	const trades = await kraken.fetchMyTrades('BTC/USD');
	assert.equal(trades.find((trade) => trade.order === placed.id).cost, 25000);
	const lines = (await kraken.fetchLedger('USD')).filter((line) => line.referenceId === trades.find((trade) => trade.order === placed.id).id);
	assert.equal(lines.length, 1);
	assert.equal(await effects('kraken', 'fill', clientOrderId), 1);
});

test('a resting order holds funds, is unique while open, and its id is free after', async () => {
	const clientOrderId = randomUUID();
	const free = (await kraken.fetchBalance()).USD.free;
	const resting = await kraken.createOrder('BTC/USD', 'limit', 'buy', 0.1, 40000, { clientOrderId });
	assert.equal((await kraken.fetchOpenOrders('BTC/USD', undefined, undefined, { clientOrderId }))[0].id, resting.id);
	assert.ok(free - (await kraken.fetchBalance()).USD.free >= 4000);
	await assert.rejects(kraken.createOrder('BTC/USD', 'limit', 'buy', 0.1, 40000, { clientOrderId }), /EOrder:/);

	await kraken.cancelOrder(resting.id);
	assert.equal((await kraken.fetchOrder(resting.id)).status, 'canceled');
	assert.equal((await kraken.fetchBalance()).USD.free, free);
	await assert.rejects(kraken.cancelOrder(resting.id), /EOrder:Unknown order/);

	// The trap: once closed, the same id buys again.
	await kraken.createOrder('BTC/USD', 'market', 'buy', 0.01, undefined, { clientOrderId });
	await kraken.createOrder('BTC/USD', 'market', 'buy', 0.01, undefined, { clientOrderId });
	assert.equal(await effects('kraken', 'fill', clientOrderId), 2);
	assert.equal((await kraken.fetchClosedOrders('BTC/USD', undefined, undefined, { cl_ord_id: clientOrderId })).length, 3);
});

test('open orders are called off together', async () => {
	const rest = () => kraken.createOrder('ETH/USD', 'limit', 'buy', 1, 1000);
	const limit = { symbol: 'ETH/USD', type: 'limit', side: 'buy', amount: 1, price: 1000 };
	const [first, second, third] = [...(await kraken.createOrders([limit, limit])), await rest()];
	await kraken.cancelOrders([first.id, second.id]);
	assert.deepEqual((await kraken.fetchOpenOrders('ETH/USD')).map(({ id }) => id), [third.id]);
	await kraken.cancelAllOrders();
	assert.deepEqual(await kraken.fetchOpenOrders(), []);
	assert.deepEqual(await kraken.fetchPositions(), []);
});

test('refusals are the ones ccxt knows', async () => {
	await assert.rejects(connect('nobody').fetchBalance(), ccxt.AuthenticationError);
	await assert.rejects(connect(undefined, Buffer.from('other').toString('base64')).fetchBalance(), /EAPI:Invalid signature/);
	await assert.rejects(kraken.createOrder('BTC/USD', 'market', 'buy', 1000), ccxt.InsufficientFunds);
	await assert.rejects(kraken.createOrder('BTC/USD', 'market', 'buy', 0.00001), /EOrder:Order minimum not met/);
	await assert.rejects(kraken.privatePostAddOrder({ pair: 'NOPE', type: 'buy', ordertype: 'market', volume: '1' }), /EQuery:Unknown asset pair/);
	const stale = connect();
	stale.nonce = () => 1;
	await assert.rejects(stale.fetchBalance(), ccxt.InvalidNonce);
	await control('kraken/status', { status: 'cancel_only' });
	await assert.rejects(kraken.createOrder('BTC/USD', 'market', 'buy', 0.01), ccxt.OnMaintenance);
	await control('kraken/status', { status: 'online' });
});

test('faults: executed then lost, part filled, invisible for a while', async () => {
	const lost = randomUUID();
	await fault('kraken', 'AddOrder', 'drop_after', { match: lost });
	await assert.rejects(kraken.createOrder('ETH/USD', 'market', 'buy', 1, undefined, { clientOrderId: lost }), ccxt.NetworkError);
	assert.equal(await effects('kraken', 'fill', lost), 1);
	const down = randomUUID();
	await fault('kraken', 'AddOrder', 'decline_after', { match: down, arg: 'EService:Unavailable' });
	await assert.rejects(kraken.createOrder('ETH/USD', 'market', 'buy', 1, undefined, { clientOrderId: down }), ccxt.ExchangeNotAvailable);
	assert.equal(await effects('kraken', 'fill', down), 1);
	await fault('kraken', 'AddOrder', 'http:520_before', { match: 'XETHZUSD' });
	await assert.rejects(kraken.createOrder('ETH/USD', 'market', 'buy', 1), ccxt.ExchangeNotAvailable);

	const part = randomUUID();
	await fault('kraken', 'AddOrder', 'part_fill', { match: part, arg: '0.4' });
	const { id } = await kraken.createOrder('ETH/USD', 'limit', 'buy', 1, 2600, { clientOrderId: part, timeInForce: 'IOC' });
	const order = await kraken.fetchOrder(id);
	assert.equal(order.status, 'canceled');
	assert.equal(order.filled, 0.4);

	const hidden = randomUUID();
	await fault('kraken', 'AddOrder', 'lag', { match: hidden, arg: '60' });
	await kraken.createOrder('ETH/USD', 'market', 'buy', 1, undefined, { clientOrderId: hidden });
	assert.deepEqual(await kraken.fetchClosedOrders('ETH/USD', undefined, undefined, { cl_ord_id: hidden }), []);
	await control('clock', { advance: '61s' });
	assert.equal((await kraken.fetchClosedOrders('ETH/USD', undefined, undefined, { cl_ord_id: hidden })).length, 1);
});

test('the ordinary account is limited, the other is not', async () => {
	await control('kraken/tier', { tier: 'starter' });
	const unlimited = connect(process.env.KRAKEN_KEY_UNLIMITED, process.env.KRAKEN_SECRET_UNLIMITED);
	for (const exchange of [kraken, unlimited]) {
		let last = Date.now() * 1000;
		exchange.nonce = () => ++last;
	}
	// Nonces must arrive in order, so the calls of a key go one by one.
	const oneByOne = async (exchange) => {
		let refused = 0;
		for (let i = 0; i < 30; i++) await exchange.privatePostBalance().catch((error) => { assert.match(error.message, /EAPI:Rate limit exceeded/); refused++; });
		return refused;
	};
	assert.ok((await oneByOne(kraken)) >= 10);
	assert.equal(await oneByOne(unlimited), 0);
	await control('kraken/tier', { tier: 'unlimited' });
});

test('coin leaves by a registered key only, and can be called back', async () => {
	await control('kraken/addresses', { asset: 'XBT', key: 'float', address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4' });
	await assert.rejects(kraken.withdraw('BTC', 1, 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', undefined, { key: 'other' }), /EFunding:Unknown withdraw key/);
	const before = (await kraken.fetchBalance()).BTC.total;
	await kraken.withdraw('BTC', 1, 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', undefined, { key: 'float' });
	assert.equal(+(before - (await kraken.fetchBalance()).BTC.total).toFixed(8), 1);
	const [payout] = await kraken.fetchWithdrawals('BTC');
	assert.equal(payout.status, 'pending');
	assert.deepEqual((await kraken.fetchWithdrawals('BTC', undefined, undefined, { paginate: true })).map(({ id }) => id), [payout.id]);
	const info = payout.info;
	assert.deepEqual((await kraken.privatePostWithdrawCancel({ asset: 'XBT', refid: info.refid })).result, true);
	assert.equal((await kraken.fetchBalance()).BTC.total, before);
});

test('coin comes in at the address of the account, and shows as a deposit', async () => {
	const { address } = await kraken.fetchDepositAddress('BTC');
	assert.match(address, /^bc1q/);
	const before = (await kraken.fetchBalance()).BTC.total;
	const wallet = process.env.BITGO_WALLETS.match(/btc=(\w+)/)[1];
	const sent = await fetch(`${origin}/api/v2/btc/wallet/${wallet}/sendcoins`, {
		method: 'POST',
		headers: { authorization: `Bearer ${process.env.BITGO_TOKEN}`, 'content-type': 'application/json' },
		body: JSON.stringify({ address, amount: '25000000', walletPassphrase: 'x' }),
	});
	assert.equal(sent.status, 200);
	const { txid } = await sent.json();
	await control('clock', { advance: '1m' });
	assert.equal(+((await kraken.fetchBalance()).BTC.total - before).toFixed(8), 0.25);
	assert.deepEqual((await kraken.fetchDeposits('BTC')).map((row) => [row.txid, row.amount, row.status]), [[txid, 0.25, 'ok']]);
});

test('a payout that fails comes back, and one on hold is called back', async () => {
	const address = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4';
	await control('kraken/addresses', { asset: 'XBT', key: 'fates', address });
	const total = async () => (await kraken.fetchBalance()).BTC.total;
	const before = await total();
	const statuses = async () => (await kraken.fetchWithdrawals('BTC')).filter(({ info }) => info.key === 'fates').map(({ status }) => status);
	await fault('kraken', 'Withdraw', 'withdrawal_failed', { match: 'fates' });
	await kraken.withdraw('BTC', 1, address, undefined, { key: 'fates' });
	assert.ok((await total()) < before);
	await control('clock', { advance: '10s' });
	assert.deepEqual(await statuses(), ['failed']);
	assert.equal(await total(), before);
	await fault('kraken', 'Withdraw', 'decline', { match: 'fates', arg: 'EFunding:Max fee exceeded' });
	await assert.rejects(kraken.withdraw('BTC', 1, address, undefined, { key: 'fates' }), /EFunding:Max fee exceeded/);
	await fault('kraken', 'WithdrawStatus', 'decline', { arg: 'EService:Busy' });
	await assert.rejects(kraken.fetchWithdrawals('BTC'), ccxt.ExchangeNotAvailable);
	await fault('kraken', 'Withdraw', 'drop_after', { match: 'fates' });
	await assert.rejects(kraken.withdraw('BTC', 1, address, undefined, { key: 'fates' }), ccxt.NetworkError);
	assert.deepEqual((await statuses()).length, 2, 'it was made all the same');
});
