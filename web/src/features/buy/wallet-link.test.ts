import { expect, test } from 'vitest'
import { readWalletLink } from './wallet-link'

const btc = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'
const eth = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const usdt = '0xdac17f958d2ee523a2206206994597c13d831ec7'

test.each([
  [`bitcoin:${btc}`, 'BTC', '0.01', { address: btc }],
  [`BITCOIN:${btc.toUpperCase()}?label=me`, 'BTC', '0.01', { address: btc.toUpperCase() }],
  [`bitcoin:${btc}?amount=0.010`, 'BTC', '0.01', { address: btc }],
  [`bitcoin:${btc}?amount=0.02`, 'BTC', '0.01', { problem: { asked: '0.02 BTC' } }],
  [`bitcoin:${btc}?amount=0.02`, 'BTC', '', { problem: { asked: '0.02 BTC' } }],
  [`bitcoin:${btc}?amount=1e3`, 'BTC', '1000', { problem: 'unread' }],
  [`bitcoin:${btc}?req-swap=1`, 'BTC', '0.01', { problem: 'unread' }],
  [`bitcoin:${btc}`, 'ETH', '1', { problem: 'asset' }],
  [`ethereum:${eth}`, 'ETH', '1', { address: eth }],
  [`ethereum:pay-${eth}@1`, 'USDC', '1', { address: eth }],
  [`ethereum:${eth}@5`, 'ETH', '1', { problem: 'chain' }],
  [`ethereum:${eth}?value=2.014e18`, 'ETH', '2.014', { address: eth }],
  [`ethereum:${eth}?value=2014000000000000000`, 'ETH', '2', { problem: { asked: '2.014 ETH' } }],
  [`ethereum:${eth}?value=1`, 'USDC', '1', { problem: 'asset' }],
  [`ethereum:${usdt}/transfer?address=${eth}&uint256=5e6`, 'USDT', '5', { address: eth }],
  [`ethereum:${usdt}/transfer?address=${eth}`, 'USDC', '5', { problem: 'asset' }],
  [`ethereum:${usdt}/approve?address=${eth}`, 'USDT', '5', { problem: 'unread' }],
  ['ethereum:vitalik.eth', 'ETH', '1', { problem: 'unread' }],
  ['tron:TJRabPrwbZy45sbavfcjinPJC18kjpRTv8', 'USDT', '1', { problem: 'unread' }],
])('%s for %s %s', (link, asset, amount, expected) => {
  expect(readWalletLink(link, asset, amount)).toEqual(expected)
})
