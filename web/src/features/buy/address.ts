/**
 * Is this a wallet address, of which network, and can the asset be sent there? The server decides; this mirrors
 * its rules so that a mistake shows while it is typed.
 *
 * BTC: base58check versions 0x00 and 0x05; bech32 for segwit v0, bech32m for v1 and later. ETH and tokens on
 * Ethereum: EIP-55 when the spelling mixes cases. Tokens on Tron: base58check version 0x41.
 */
import { sha256 } from '@noble/hashes/sha2.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { bech32, bech32m, createBase58check } from '@scure/base'
import type { Asset, Network } from '@/api/lists.gen'

export type AddressForm = 'p2pkh' | 'p2sh' | 'segwit' | 'taproot' | 'evm' | 'tron'
export type AddressError =
  | 'bad_checksum'
  | 'testnet'
  | 'mainnet'
  | 'wrong_network'
  | 'not_offered'
  | 'zero_address'
  | 'token_contract'
  | 'malformed'
  | 'incomplete'

export type AddressCheck =
  | { ok: true; network: Network; form: AddressForm; checksummed: boolean }
  | { ok: false; error: AddressError; network?: Network }

const base58check = createBase58check(sha256)
const base58Text = /^[1-9A-HJ-NP-Za-km-z]+$/
/** The contracts of the tokens we sell. */
export const contracts: Readonly<Record<string, Asset>> = {
  '0xdac17f958d2ee523a2206206994597c13d831ec7': 'USDT',
  '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48': 'USDC',
  TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t: 'USDT',
  TEkxiTehnzSmSe2XqrBj4w32RUN966rdz8: 'USDC',
}

function refuse(error: AddressError, network?: Network): AddressCheck {
  return network ? { ok: false, error, network } : { ok: false, error }
}

function accept(network: Network, form: AddressForm, checksummed = true): AddressCheck {
  return { ok: true, network, form, checksummed }
}

/**
 * Which networks' addresses are accepted: the main networks', or in a rehearsal the test networks'.
 * Ethereum's and Tron's are the same on both.
 */
export type Nets = 'main' | 'test'

/** Where coin is sent in an installation. */
export interface Sending {
  nets: Nets
  /** The networks that are offered, by asset; an asset without an entry has all of its own. */
  offered?: Readonly<Record<string, readonly string[]>>
}

/** Where coin is sent, as the configuration says. */
export function sendingOf({
  mode,
  offer,
}: {
  mode: string
  offer?: { networks: Sending['offered'] }
}): Sending {
  return { nets: mode === 'staging' ? 'test' : 'main', ...(offer?.networks && { offered: offer.networks }) }
}

/** Narrowed to the one network that an order's price was made for. */
export function onNetwork(sending: Sending, asset: string, network: string): Sending {
  return { ...sending, offered: { [asset]: [network] } }
}

const everywhere: Sending = { nets: 'main' }

const bitcoinOf = {
  main: { segwit: 'bc1', p2pkh: 0x00, p2sh: 0x05, other: 'testnet' },
  test: { segwit: 'tb1', p2pkh: 0x6f, p2sh: 0xc4, other: 'mainnet' },
} as const

/** The kind of the text, whatever its field. */
export function recognise(address: string, nets: Nets = 'main'): AddressCheck {
  if (/^0x/i.test(address)) return recogniseEvm(address)
  if (/^(bc1|tb1|bcrt1)/i.test(address)) return recogniseSegwit(address, nets)
  if (base58Text.test(address)) return recogniseBase58(address, nets)
  return refuse('malformed')
}

function recogniseEvm(address: string): AddressCheck {
  const hex = address.slice(2)
  if (!address.startsWith('0x') || !/^[0-9a-fA-F]*$/.test(hex)) return refuse('malformed', 'ethereum')
  if (hex.length < 40) return refuse('incomplete', 'ethereum')
  if (hex.length > 40) return refuse('malformed', 'ethereum')
  const lower = hex.toLowerCase()
  if (/^0+$/.test(lower)) return refuse('zero_address', 'ethereum')
  if (contracts[`0x${lower}`]) return refuse('token_contract', 'ethereum')
  if (hex === lower || hex === hex.toUpperCase()) return accept('ethereum', 'evm', false)
  return checksumSpelling(lower) === hex ? accept('ethereum', 'evm') : refuse('bad_checksum', 'ethereum')
}

/** EIP-55: a letter is upper case where the hash of the lower-case text has a digit of 8 or more. */
function checksumSpelling(lower: string): string {
  const hash = bytesToHex(keccak_256(utf8ToBytes(lower)))
  return [...lower]
    .map((char, index) => (Number.parseInt(hash[index] ?? '0', 16) >= 8 ? char.toUpperCase() : char))
    .join('')
}

function recogniseSegwit(address: string, nets: Nets): AddressCheck {
  const lower = address.toLowerCase()
  if (address !== lower && address !== address.toUpperCase()) return refuse('bad_checksum', 'bitcoin')
  if (nets === 'test' && lower.startsWith('bcrt1')) return refuse('malformed', 'bitcoin')
  if (!lower.startsWith(bitcoinOf[nets].segwit)) return refuse(bitcoinOf[nets].other, 'bitcoin')
  if (lower.length < 14) return refuse('incomplete', 'bitcoin')
  const decoded = decodeSegwit(lower)
  if (!decoded) return refuse(lower.length < 42 ? 'incomplete' : 'bad_checksum', 'bitcoin')
  const { version, length } = decoded
  if (version === 0)
    return length === 20 || length === 32 ? accept('bitcoin', 'segwit') : refuse('malformed', 'bitcoin')
  if (version === 1 && length === 32) return accept('bitcoin', 'taproot')
  return refuse('malformed', 'bitcoin')
}

function decodeSegwit(lower: string): { version: number; length: number } | undefined {
  const version = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'.indexOf(lower.charAt(3))
  const codec = version === 0 ? bech32 : bech32m
  try {
    const { words } = codec.decode(lower as `${string}1${string}`, 90)
    return { version: words[0] ?? -1, length: codec.fromWords(words.slice(1)).length }
  } catch {
    return undefined
  }
}

function recogniseBase58(address: string, nets: Nets): AddressCheck {
  const tron = address.startsWith('T')
  const likely: Network | undefined = tron ? 'tron' : /^[13mn2]/.test(address) ? 'bitcoin' : undefined
  if (!likely) return refuse('malformed')
  if (contracts[address]) return refuse('token_contract', likely)
  const payload = decodeBase58(address)
  if (!payload) return refuse(address.length < 33 ? 'incomplete' : 'bad_checksum', likely)
  if (payload.length !== 21) return refuse('malformed', likely)
  const { p2pkh, p2sh, other } = bitcoinOf[nets]
  switch (payload[0]) {
    case p2pkh:
      return accept('bitcoin', 'p2pkh')
    case p2sh:
      return accept('bitcoin', 'p2sh')
    case 0x00:
    case 0x05:
    case 0x6f:
    case 0xc4:
      return refuse(other, 'bitcoin')
    case 0x41:
      return payload.slice(1).every((byte) => byte === 0)
        ? refuse('zero_address', 'tron')
        : accept('tron', 'tron')
    default:
      return refuse('malformed', likely)
  }
}

function decodeBase58(address: string): Uint8Array | undefined {
  try {
    return base58check.decode(address)
  } catch {
    return undefined
  }
}

const networksOf: Record<string, readonly Network[]> = {
  BTC: ['bitcoin'],
  ETH: ['ethereum'],
  USDT: ['ethereum', 'tron'],
  USDC: ['ethereum', 'tron'],
} satisfies Record<Asset, readonly Network[]>

/** Can `asset` be sent to this address? */
export function checkAddress(asset: string, text: string, { nets, offered } = everywhere): AddressCheck {
  const found = recognise(text.trim(), nets)
  const allowed = networksOf[asset] ?? []
  if (found.network && !allowed.includes(found.network) && (found.ok || found.error !== 'incomplete')) {
    return refuse('wrong_network', found.network)
  }
  if (found.ok && offered?.[asset]?.includes(found.network) === false)
    return refuse('not_offered', found.network)
  return found
}

/** The network an asset travels on when the address does not say otherwise. */
export function defaultNetwork(asset: string, { offered } = everywhere): string {
  return offered?.[asset]?.[0] ?? networksOf[asset]?.[0] ?? 'ethereum'
}
