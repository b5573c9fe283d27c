import { expect, test } from 'vitest'
import { readWalletLink } from './wallet-link'

const btc = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'
const eth = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const usdt = '0xdac17f958d2ee523a2206206994597c13d831ec7'

test.each([
  [`bitcoin:${btc}`, 'BTC', { address: btc }],
  [`BITCOIN:${btc.toUpperCase()}?label=me`, 'BTC', { address: btc.toUpperCase() }],
  [`bitcoin:${btc}?amount=0.010`, 'BTC', { address: btc, asked: { amount: '0.01', asset: 'BTC' } }],
  [`bitcoin:${btc}?amount=0.02`, 'BTC', { address: btc, asked: { amount: '0.02', asset: 'BTC' } }],
  [
    `BITCOIN:${btc.toUpperCase()}?AMOUNT=0.5`,
    'BTC',
    { address: btc.toUpperCase(), asked: { amount: '0.5', asset: 'BTC' } },
  ],
  [`bitcoin:${btc}?amount=1e3`, 'BTC', { problem: 'unread' }],
  [`bitcoin:${btc}?REQ-swap=1`, 'BTC', { problem: 'unread' }],
  [`\u200b bitcoin:${btc.slice(0, 9)}\u00ad${btc.slice(9)}\u202c`, 'BTC', { address: btc }],
  [`bitcoin://${btc}?label=My wallet#note`, 'BTC', { address: btc }],
  [`bitcoin: ${btc.slice(0, 10)} ${btc.slice(10)}`, 'BTC', { address: btc }],
  [`ＢＩＴＣＯＩＮ：${btc}`, 'BTC', { address: btc }],
  [`bitcoin:${btc}`, 'ETH', { problem: 'asset' }],
  [`ethereum:${eth}`, 'ETH', { address: eth }],
  [`ethereum:pay-${eth}@1`, 'USDC', { address: eth }],
  [`ethereum:${eth}@5`, 'ETH', { problem: 'chain' }],
  [`ETHEREUM:${eth}?VALUE=2.014E18`, 'ETH', { address: eth, asked: { amount: '2.014', asset: 'ETH' } }],
  [
    `ethereum:${eth}?value=2014000000000000000`,
    'ETH',
    { address: eth, asked: { amount: '2.014', asset: 'ETH' } },
  ],
  [`ethereum:${eth}?value=1`, 'USDC', { problem: 'asset' }],
  [
    `ethereum:${usdt}/transfer?address=${eth}&uint256=5e6`,
    'USDT',
    { address: eth, asked: { amount: '5', asset: 'USDT' } },
  ],
  [`ethereum:${usdt}/transfer?address=${eth}`, 'USDC', { problem: 'asset' }],
  [`ethereum:${usdt}/approve?address=${eth}`, 'USDT', { problem: 'unread' }],
  ['ethereum:vitalik.eth', 'ETH', { problem: 'unread' }],
  ['tron:TJRabPrwbZy45sbavfcjinPJC18kjpRTv8', 'USDT', { problem: 'unread' }],
])('%s for %s', (link, asset, expected) => {
  expect(readWalletLink(link, asset)).toEqual(expected)
})
