import { readFileSync } from 'node:fs'

/**
 * Answers of the server, made from the contract: every read of every page has one, each seed another. Statuses,
 * amounts, lists and what may be absent vary as they may vary in truth.
 */
interface Schema {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  format?: string
  items?: Schema
  properties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
  required?: string[]
  minimum?: number
  oneOf?: Schema[]
  anyOf?: Schema[]
}

interface Contract {
  paths: Record<
    string,
    { get?: { responses: Record<string, { content?: Record<string, { schema?: Schema }> }> } }
  >
  components: { schemas: Record<string, Schema> }
}

const contract = JSON.parse(readFileSync(`${import.meta.dirname}/../../api/openapi.json`, 'utf8')) as Contract

const reads = Object.entries(contract.paths).flatMap(([path, { get }]) => {
  const schema = get?.responses['200']?.content?.['application/json']?.schema
  const pattern = new RegExp(`^${path.replace(/\{\w+\}/g, '([^/]+)')}$`)
  return schema ? [{ path, pattern, schema }] : []
})

/** Numbers that look random, the same for a seed. */
export function randomOf(seed: string): () => number {
  let state = [...seed].reduce((sum, char) => Math.imul(sum ^ char.charCodeAt(0), 16777619), 2166136261)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** What a text of this name may be, where the contract says no more. */
const texts: [RegExp, readonly string[]][] = [
  [/^(asset|cryptoCurrency|coin)$/, ['BTC', 'ETH', 'USDT', 'USDC']],
  [/^(network|chain)$/, ['bitcoin', 'ethereum', 'tron']],
  [/^(paymentMethod|method|rail|code)$/, ['card', 'domestic_wire', 'ach', 'zelle']],
  [/^currency$/, ['USD', 'BTC']],
  [/countr|nationality/i, ['US', 'MX', 'DE']],
  [/language|locale/i, ['en', 'es']],
  [/email/i, ['casey@example.com', 'robin@example.com']],
  [/name|title|subject|person|actor|by$/i, ['Casey Lin', 'Robin Ray', 'Alex Poe']],
  [/address/i, ['bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq', '0x52908400098527886E0F7030069857D2E4169EE7']],
  [/txid|hash/i, ['a'.repeat(64), 'b'.repeat(64)]],
  [/url|href|link/i, ['https://example.com/a', 'https://example.com/b']],
  [/reference/i, ['TP-7K3M-9QWX', 'TP-27Y2-1XE7', 'TP-WHGR-VC9Q']],
  [/(date|day|month)$/i, ['2026-11-03', '2026-10-17']],
  [/(At|until|since|from|time)$/, ['2026-11-29T10:00:00Z', '2026-11-28T09:30:00Z']],
]

const MINUTE = 60_000

class Maker {
  private serial = 0
  constructor(
    private readonly random: () => number,
    private readonly now: number,
  ) {}

  private below(limit: number): number {
    return Math.floor(this.random() * limit)
  }

  private one<T>(of: readonly T[]): T {
    return of[this.below(of.length)] as T
  }

  make(schema: Schema, name = '', depth = 0): unknown {
    if (schema.$ref)
      return this.make(contract.components.schemas[schema.$ref.split('/').pop() ?? ''] ?? {}, name, depth)
    const choice = schema.oneOf ?? schema.anyOf
    if (choice) return this.make(this.one(choice), name, depth)
    if (schema.enum) return this.one(schema.enum)
    const types = [schema.type ?? 'object'].flat()
    if (types.includes('null') && (depth > 7 || this.random() < 0.35)) return null
    switch (types.find((type) => type !== 'null')) {
      case 'string':
        return this.text(schema, name)
      case 'integer':
        return (schema.minimum ?? 0) + this.below(40)
      case 'number':
        return this.below(400) / 10
      case 'boolean':
        return this.random() < 0.5
      case 'array':
        return this.list(schema.items ?? {}, name, depth)
      default:
        return this.object(schema, depth)
    }
  }

  /** None of it twice: lists have no two entries of one name. */
  private list(items: Schema, name: string, depth: number): unknown[] {
    const made = Array.from({ length: depth > 7 ? 0 : this.below(4) }, () =>
      this.make(items, name.replace(/s$/, ''), depth + 1),
    )
    const nameOf = (entry: unknown) => {
      const { id, code, method, asset, brand, value, label, key } = (entry ?? {}) as Record<string, unknown>
      return id ?? code ?? method ?? asset ?? brand ?? value ?? label ?? key ?? entry
    }
    return made.filter((entry, at) => made.findIndex((other) => nameOf(other) === nameOf(entry)) === at)
  }

  private object(schema: Schema, depth: number): Record<string, unknown> {
    const made: Record<string, unknown> = {}
    for (const [key, value] of Object.entries(schema.properties ?? {})) {
      if (key === '$schema') continue
      if (schema.required?.includes(key) || (depth < 7 && this.random() < 0.6))
        made[key] = this.make(value, key, depth + 1)
    }
    if (typeof schema.additionalProperties === 'object')
      for (const key of ['BTC', 'ETH']) made[key] = this.make(schema.additionalProperties, key, depth + 1)
    return made
  }

  private text({ format }: Schema, name: string): string {
    this.serial += 1
    const mark = `${this.below(0xffffff).toString(16).padStart(6, '0')}${this.serial.toString(16).padStart(6, '0')}`
    if (format === 'uuid' || /(^id|Id)$/.test(name)) return `018f7e0a-0000-7000-8000-${mark}`
    if (format === 'date-time') return new Date(this.now + (this.below(2_000) - 1_500) * MINUTE).toISOString()
    if (format === 'date') return `2026-11-${String(1 + this.below(28)).padStart(2, '0')}`
    const known = texts.find(([pattern]) => pattern.test(name))
    if (known) return this.one(known[1])
    return (this.below(1_000_000) / 100).toFixed(2)
  }
}

/** The body of a GET at this moment, or undefined: the contract has no such read in JSON. */
export function answerTo(address: string, seed: string, now: number): unknown {
  const { pathname } = new URL(address, 'http://localhost')
  const read = reads.find(({ pattern }) => pattern.test(pathname))
  if (!read) return undefined
  const made = new Maker(randomOf(`${seed} ${pathname}`), now).make(read.schema)
  const id = read.pattern.exec(pathname)?.[1]
  // A record that is asked for by its id is that record.
  if (id && read.path.endsWith('}') && typeof made === 'object' && made !== null && 'id' in made) made.id = id
  return made
}
