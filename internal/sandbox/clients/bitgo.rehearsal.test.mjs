// @bitgo/sdk-api, unmodified, against the simulator as app.bitgo-test.com. What its coins are is what BitGo's own
// tables and its library for Bitcoin say.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, test } from 'node:test';
import { BitGoAPI } from '@bitgo/sdk-api';
import { coins } from '@bitgo/statics';
import * as utxo from '@bitgo/utxo-lib';
import { control, effects, origin } from './control.mjs';

const wallets = Object.fromEntries(process.env.BITGO_WALLETS.split(',').map((entry) => entry.split('=')));
const bitcoin = 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx';
const ether = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const tron = 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8';

const bitgo = new BitGoAPI({ env: 'custom', customRootURI: origin, accessToken: process.env.BITGO_TOKEN });
const url = (coin, rest = '') => bitgo.url(`/${coin}/wallet/${wallets[coin]}${rest}`, 2);
const read = (coin, rest) => bitgo.get(url(coin, rest)).result();
const send = (coin, fields) => bitgo.post(url(coin, '/sendcoins')).send({ walletPassphrase: 'x', sequenceId: randomUUID(), ...fields }).result();
const accepts = async (coin, address) => (await bitgo.post(bitgo.url(`/${coin}/verifyaddress`, 2)).send({ address }).result()).isValid;

before(() => control('bitgo/pace', { unconfirmed: '30m', confirmed: '60m', block: '10m' }));

test('its coins are of test networks, with the decimals of BitGo', async () => {
	for (const [ticker, native] of Object.entries({ tbtc4: 'tbtc4', hteth: 'hteth', 'hteth:tusdt': 'hteth', 'hteth:tusdc': 'hteth', 'ttrx:usdt': 'ttrx', 'ttrx:usdc': 'ttrx' })) {
		const coin = coins.get(ticker);
		assert.equal(coin.network.type, 'testnet', ticker);
		assert.equal(coin.network, coins.get(native).network, `${ticker} is on the chain of ${native}`);
		const whole = BigInt((await read(ticker)).spendableBalanceString) / 10n ** BigInt(coin.decimalPlaces);
		assert.ok(whole >= 25n && whole <= 500_000n, `${ticker}: ${whole}`);
	}
});

test('addresses are those of testnet4, and production is another environment', async () => {
	const { address } = (await read('tbtc4')).receiveAddress;
	assert.match(address, /^tb1q/);
	assert.ok(utxo.address.toOutputScript(address, utxo.networks.bitcoinTestnet4).length > 0);
	assert.throws(() => utxo.address.toOutputScript(address, utxo.networks.bitcoin));
	const script = utxo.address.toOutputScript(bitcoin, utxo.networks.bitcoinTestnet4);
	const main = utxo.address.fromOutputScript(script, utxo.networks.bitcoin);
	assert.deepEqual([await accepts('tbtc4', bitcoin), await accepts('tbtc4', main)], [true, false]);
	assert.deepEqual([await accepts('hteth', ether), await accepts('hteth:tusdt', ether), await accepts('ttrx:usdt', tron), await accepts('ttrx:usdt', ether)], [true, true, true, false]);
	await assert.rejects(send('tbtc4', { address: main, amount: '1000' }), { status: 400 });
	await assert.rejects(bitgo.get(bitgo.url(`/btc/wallet/${wallets.tbtc4}`, 2)).result(), { status: 400 });
});

test('each coin is sent once, with its fee from its own chain', async () => {
	const sequenceId = `ord-${randomUUID()}-send-1`;
	const sent = await send('tbtc4', { address: bitcoin, amount: '150000', sequenceId });
	assert.deepEqual([sent.transfer.coin, sent.transfer.valueString, sent.transfer.entries[0].address], ['tbtc4', '-152000', (await read('tbtc4')).receiveAddress.address]);
	await assert.rejects(send('tbtc4', { address: bitcoin, amount: '150000', sequenceId }), { status: 400 });
	await control('clock', { advance: '61m' });
	assert.equal((await read('tbtc4', `/transfer/sequenceId/${sequenceId}`)).state, 'confirmed');
	assert.equal(await effects('bitgo', 'send', sequenceId), 1);

	const gas = BigInt((await read('hteth')).spendableBalanceString);
	const { transfer, txid } = await send('hteth:tusdt', { address: ether, amount: '25000000' });
	assert.match(txid, /^0x[0-9a-f]{64}$/);
	assert.equal(gas - BigInt((await read('hteth')).spendableBalanceString), BigInt(transfer.feeString));
	assert.equal((await bitgo.post(url('hteth', '/sendcoins')).send({ walletPassphrase: 'x', address: ether, amount: '1', tokenName: 'hteth:tusdc' }).result()).transfer.coin, 'hteth:tusdc');
	assert.equal((await send('ttrx:usdc', { address: tron, amount: '1000000' })).transfer.feeString, '0');
	assert.ok((await read('hteth', '?allTokens=true')).tokens['hteth:tusdt']);
	assert.ok((await bitgo.get(bitgo.url('/tbtc4/tx/fee?numBlocks=2', 2)).result()).feePerKb > 0);
});
