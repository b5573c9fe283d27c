import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { addressOf } from '@/lib/clean'
import { checkAddress, defaultNetwork, onNetwork, sendingOf } from './address'
import { addressProblem } from './address-field'

/** The strings of the providers' notes, and one slip each. */
const accepted: [asset: string, address: string, network: string, form: string][] = [
  ['BTC', '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2', 'bitcoin', 'p2pkh'],
  ['BTC', '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy', 'bitcoin', 'p2sh'],
  ['BTC', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', 'bitcoin', 'segwit'],
  ['BTC', 'BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4', 'bitcoin', 'segwit'],
  ['BTC', 'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0', 'bitcoin', 'taproot'],
  ['ETH', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', 'ethereum', 'evm'],
  ['USDT', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', 'ethereum', 'evm'],
  ['USDC', 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8', 'tron', 'tron'],
]

const refused: [asset: string, address: string, error: string][] = [
  ['BTC', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5', 'bad_checksum'],
  ['BTC', 'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd', 'bad_checksum'],
  ['BTC', 'bc1qW508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', 'bad_checksum'],
  ['BTC', '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN3', 'bad_checksum'],
  ['BTC', 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx', 'testnet'],
  ['BTC', 'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn', 'testnet'],
  ['BTC', '2MzQwSSnBHWHqSAqtTVQ6v47XtaisrJa1Vc', 'testnet'],
  ['BTC', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', 'wrong_network'],
  ['BTC', 'bc1qw508d6', 'incomplete'],
  ['BTC', 'not an address', 'malformed'],
  ['ETH', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD', 'bad_checksum'],
  ['ETH', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeA', 'incomplete'],
  ['ETH', '0x0000000000000000000000000000000000000000', 'zero_address'],
  ['ETH', 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8', 'wrong_network'],
  ['ETH', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', 'wrong_network'],
  ['USDT', '0xdac17f958d2ee523a2206206994597c13d831ec7', 'token_contract'],
  ['USDC', '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', 'token_contract'],
  ['USDT', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', 'token_contract'],
  ['USDC', 'TEkxiTehnzSmSe2XqrBj4w32RUN966rdz8', 'token_contract'],
]

describe('addresses', () => {
  test.each(accepted)('%s %s is taken', (asset, address, network, form) => {
    expect(checkAddress(asset, address)).toMatchObject({ ok: true, network, form })
  })

  test.each(refused)('%s %s is refused', (asset, address, error) => {
    expect(checkAddress(asset, address)).toMatchObject({ ok: false, error })
  })

  test.each(accepted)('%s %s is taken in groups, full-width or across lines', (asset, address, network) => {
    const groups = address.replace(/(.{4})/g, '$1\u00a0')
    const wide = [...address].map((char) => String.fromCharCode(char.charCodeAt(0) + 0xfee0)).join('')
    for (const pasted of [` ${groups}`, wide, `${address.slice(0, 20)}\r\n  ${address.slice(20)}`])
      expect(checkAddress(asset, addressOf(pasted)), pasted).toMatchObject({ ok: true, network })
  })

  test('one wrong character anywhere in a checksummed address is noticed', () => {
    for (const [asset, address] of accepted) {
      const start = address.toLowerCase().startsWith('bc1') || address.startsWith('0x') ? 4 : 1
      for (let index = start; index < address.length; index += 1) {
        const swapped = address[index] === 'a' ? 'c' : 'a'
        const wrong = address.slice(0, index) + swapped + address.slice(index + 1)
        if (wrong.toLowerCase() === address.toLowerCase() && address === address.toUpperCase()) continue
        expect(checkAddress(asset, wrong).ok, wrong).toBe(false)
      }
    }
  })

  test('in a rehearsal addresses are of the test networks', () => {
    const test: typeof accepted = [
      ['BTC', 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx', 'bitcoin', 'segwit'],
      ['BTC', 'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn', 'bitcoin', 'p2pkh'],
      ['BTC', '2MzQwSSnBHWHqSAqtTVQ6v47XtaisrJa1Vc', 'bitcoin', 'p2sh'],
      ['ETH', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', 'ethereum', 'evm'],
      ['USDC', 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8', 'tron', 'tron'],
    ]
    for (const [asset, address, network, form] of test)
      expect(checkAddress(asset, address, sendingOf({ mode: 'staging' }))).toMatchObject({
        ok: true,
        network,
        form,
      })
    for (const [asset, address, network] of accepted.filter(([, , network]) => network === 'bitcoin'))
      expect(checkAddress(asset, address, sendingOf({ mode: 'staging' }))).toEqual({
        ok: false,
        error: 'mainnet',
        network,
      })
    expect(
      checkAddress('BTC', 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsy', sendingOf({ mode: 'staging' })),
    ).toMatchObject({
      error: 'bad_checksum',
    })
  })

  test('an address of a network that is not offered is refused, in the words of the server', () => {
    const sending = sendingOf({ mode: 'local', offer: { networks: { USDT: ['tron'], BTC: ['bitcoin'] } } })
    const check = checkAddress('USDT', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', sending)
    expect(check).toEqual({ ok: false, error: 'not_offered', network: 'ethereum' })
    const server = readFileSync(new URL('../../../../api/execution/addresses.go', import.meta.url), 'utf8')
    expect(server).toContain(`"${addressProblem('USDT', check)}"`)
    expect(defaultNetwork('USDT', sending)).toBe('tron')
    for (const [asset, address] of accepted.filter(([, , network]) => network !== 'ethereum'))
      expect(checkAddress(asset, address, sending).ok, address).toBe(true)
  })

  test('an order that was sold on one network is sent on that alone', () => {
    const sold = onNetwork(sendingOf({ mode: 'local' }), 'USDC', 'ethereum')
    const [, tron = ''] = accepted.find(([asset, , network]) => asset === 'USDC' && network === 'tron') ?? []
    expect(checkAddress('USDC', tron, sold)).toEqual({ ok: false, error: 'not_offered', network: 'tron' })
    expect(checkAddress('USDC', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', sold).ok).toBe(true)
  })

  test('a spelling without a checksum is taken and said to have none', () => {
    expect(checkAddress('ETH', '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed')).toMatchObject({
      ok: true,
      checksummed: false,
    })
  })
})
