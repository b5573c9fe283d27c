import { addressOf } from '@/lib/clean'
import { parseAmount } from '@/lib/money'
import { contracts } from './address'

export type LinkProblem = 'unread' | 'chain' | 'asset'

/** What a link asks for, where it names an amount. */
export interface Asked {
  amount: string
  asset: string
}

export type WalletLink = { address: string; asked?: Asked } | { problem: LinkProblem }

const problem = (found: LinkProblem): WalletLink => ({ problem: found })

/** Is it a link of a wallet, and not an address? */
export function isWalletLink(text: string): boolean {
  return /^(bitcoin|ethereum|tron):/i.test(addressOf(text))
}

/**
 * The address in a `bitcoin:` (BIP 21) or `ethereum:` (EIP-681) link for `asset`, and the amount it asks for. A link for
 * another chain or coin is rejected: its address may not be meant for this purchase. Codes are often written in capitals
 * throughout, so scheme and keys are compared without case.
 */
export function readWalletLink(text: string, asset: string): WalletLink {
  const found = /^(\w+):(?:\/\/)?([^?#]*)(?:\?([^#]*))?(?:#.*)?$/.exec(addressOf(text))
  if (!found) return problem('unread')
  const [, scheme = '', path = '', query = ''] = found
  const asked = new URLSearchParams()
  for (const [key, value] of new URLSearchParams(query)) asked.append(key.toLowerCase(), value)
  if (scheme.toLowerCase() === 'bitcoin') return readBitcoin(path, asked, asset)
  return scheme.toLowerCase() === 'ethereum' ? readEthereum(path, asked, asset) : problem('unread')
}

function readBitcoin(address: string, asked: URLSearchParams, asset: string): WalletLink {
  if (asset !== 'BTC') return problem('asset')
  if (!/^[0-9A-Za-z]+$/.test(address)) return problem('unread')
  // A wallet that does not support a required parameter must not pay.
  if ([...asked.keys()].some((key) => key.startsWith('req-'))) return problem('unread')
  return agreed(address, asked.get('amount'), 'BTC')
}

function readEthereum(path: string, asked: URLSearchParams, asset: string): WalletLink {
  const found = /^(?:pay-)?(0x[0-9a-f]{40})(?:@(\d+))?(?:\/(\w+))?$/i.exec(path)
  if (!found) return problem('unread')
  const [, target = '', chain = '1', call] = found
  if (chain !== '1') return problem('chain')
  if (call === undefined) {
    const wei = asked.get('value')
    // A link without a value names an address, which takes tokens too.
    if (asset === 'BTC' || (wei !== null && asset !== 'ETH')) return problem('asset')
    return agreed(target, wei && fromUnits(wei, 18), 'ETH')
  }
  const address = asked.get('address') ?? ''
  if (call.toLowerCase() !== 'transfer' || !/^0x[0-9a-f]{40}$/i.test(address)) return problem('unread')
  if (contracts[target.toLowerCase()] !== asset) return problem('asset')
  const units = asked.get('uint256')
  return agreed(address, units && fromUnits(units, 6), asset)
}

/** Whole units as a decimal; EIP-681 also writes 2.014e18. */
function fromUnits(text: string, decimals: number): string {
  const found = /^(\d+)(?:\.(\d+))?(?:e(\d{1,2}))?$/i.exec(text)
  if (!found) return '?'
  const [, whole = '', fraction = '', power = '0'] = found
  if (fraction.length > Number(power)) return '?'
  const digits = (whole + fraction.padEnd(Number(power), '0')).padStart(decimals + 1, '0')
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}

function agreed(address: string, asked: string | null, asset: string): WalletLink {
  if (!asked) return { address }
  const wanted = parseAmount(asked)
  return wanted ? { address, asked: { amount: wanted.toFixed(), asset } } : problem('unread')
}
