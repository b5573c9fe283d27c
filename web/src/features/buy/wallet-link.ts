import { parseAmount } from '@/lib/money'
import { contracts } from './address'

export type LinkProblem = 'unread' | 'chain' | 'asset' | { asked: string }

export type WalletLink = { address: string } | { problem: LinkProblem }

const problem = (found: LinkProblem): WalletLink => ({ problem: found })

/** Is it a link of a wallet, and not an address? */
export function isWalletLink(text: string): boolean {
  return /^(bitcoin|ethereum|tron):/i.test(text.trim())
}

/**
 * The address in a `bitcoin:` (BIP 21) or `ethereum:` (EIP-681) link for `amount` of `asset`. A link for another
 * chain, coin or amount is refused: its address may not be meant for this purchase.
 */
export function readWalletLink(text: string, asset: string, amount: string): WalletLink {
  const found = /^(\w+):([^?]*)(?:\?(.*))?$/.exec(text.trim())
  if (!found) return problem('unread')
  const [, scheme = '', path = '', query = ''] = found
  const asked = new URLSearchParams(query)
  if (scheme.toLowerCase() === 'bitcoin') return readBitcoin(path, asked, asset, amount)
  return scheme.toLowerCase() === 'ethereum' ? readEthereum(path, asked, asset, amount) : problem('unread')
}

function readBitcoin(address: string, asked: URLSearchParams, asset: string, amount: string): WalletLink {
  if (asset !== 'BTC') return problem('asset')
  if (!/^[0-9A-Za-z]+$/.test(address)) return problem('unread')
  // A wallet that does not support a required parameter must not pay.
  if ([...asked.keys()].some((key) => key.toLowerCase().startsWith('req-'))) return problem('unread')
  return agreed(address, asked.get('amount'), 'BTC', amount)
}

function readEthereum(path: string, asked: URLSearchParams, asset: string, amount: string): WalletLink {
  const found = /^(?:pay-)?(0x[0-9a-fA-F]{40})(?:@(\d+))?(?:\/(\w+))?$/.exec(path)
  if (!found) return problem('unread')
  const [, target = '', chain = '1', call] = found
  if (chain !== '1') return problem('chain')
  if (call === undefined) {
    const wei = asked.get('value')
    // A link without a value names an address, which takes tokens too.
    if (asset === 'BTC' || (wei !== null && asset !== 'ETH')) return problem('asset')
    return agreed(target, wei && fromUnits(wei, 18), 'ETH', amount)
  }
  const address = asked.get('address') ?? ''
  if (call !== 'transfer' || !/^0x[0-9a-fA-F]{40}$/.test(address)) return problem('unread')
  if (contracts[target.toLowerCase()] !== asset) return problem('asset')
  const units = asked.get('uint256')
  return agreed(address, units && fromUnits(units, 6), asset, amount)
}

/** Whole units as a decimal; EIP-681 also writes 2.014e18. */
function fromUnits(text: string, decimals: number): string {
  const found = /^(\d+)(?:\.(\d+))?(?:e(\d{1,2}))?$/.exec(text)
  if (!found) return '?'
  const [, whole = '', fraction = '', power = '0'] = found
  if (fraction.length > Number(power)) return '?'
  const digits = (whole + fraction.padEnd(Number(power), '0')).padStart(decimals + 1, '0')
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}

function agreed(address: string, asked: string | null, asset: string, amount: string): WalletLink {
  if (!asked) return { address }
  const wanted = parseAmount(asked)
  if (!wanted) return problem('unread')
  return parseAmount(amount)?.eq(wanted) ? { address } : problem({ asked: `${wanted.toFixed()} ${asset}` })
}
