import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { type Asset, assets } from '@/api/lists.gen'
import type { PublicMethod } from '@/api/types.gen'
import { Coin } from '@/components/money/coin'
import { buttonVariants } from '@/components/ui/button-variants'
import { publicPricesQuery } from '@/features/pricing/public-prices'
import { useLivePrices } from '@/features/pricing/use-live-prices'
import { certainPoint, readAmount } from '@/lib/amount'
import { loginHref } from '@/lib/login'
import { amountDecimals, useCoins, useOffered } from '@/lib/offer'
import { useUser } from '@/lib/session'
import { calculator as texts } from '@/messages/calculator'
import { assetNames, methodLabels } from '@/messages/common'
import { locale } from '@/messages/locale'
import { below, dollarsOf, type Estimate, estimate } from './estimate'
import { handOver } from './hand-over'

/** Implemented here: lib/format comes with the signed-in screens' code, and a visitor loads none of that. */
const dollars = new Intl.NumberFormat(locale, { style: 'currency', currency: 'USD' })
const usd = (amount: string | undefined) =>
  amount ? dollars.format(amount as Intl.StringNumericLiteral) : '—'

/**
 * Before the prices are loaded the payment methods stand there without figures: nothing moves when they
 * arrive.
 */
const unknown = ['card', 'ach', 'wire'].map((method) => ({ method }) as PublicMethod)

const FIRST = '100'

interface Choice {
  typed: string
  asset: Asset
  method: string
}

/** Dollars to coin at the price of now, with each way to pay beside its fee; it opens /buy filled in. */
export function Calculator() {
  const prices = useLivePrices()
  const loading = !useQuery(publicPricesQuery).isError && !prices
  const coins = useCoins()
  const offers = useOffered('rails')
  const form = useRef<HTMLFormElement>(null)
  const [{ typed, asset, method }, setChoice] = useState<Choice>({
    typed: FIRST,
    asset: coins[0] ?? 'BTC',
    method: 'card',
  })
  const read = useReader(form, setChoice)
  const reading = readAmount(typed, { point: certainPoint(), unit: 'USD', decimals: 2 })
  const sum = dollarsOf(reading)
  const wrong = typed.trim() !== '' && !sum
  const rate = prices?.cryptoPrices[asset]
  const methods =
    prices?.paymentMethods.filter((entry) => entry.isEnabled && offers(entry.method)) ??
    unknown.filter((entry) => offers(entry.method))
  const chosen = methods.find((entry) => entry.method === method) ?? methods[0]
  const estimateOf = (entry: PublicMethod | undefined) =>
    sum && rate && entry?.margin ? estimate(sum, rate, entry, amountDecimals[asset]) : undefined
  const found = estimateOf(chosen)
  return (
    <form
      ref={form}
      aria-label={texts.title}
      onInput={read}
      onSubmit={(event) => event.preventDefault()}
      className="rounded-xl border bg-background p-4 md:p-6"
    >
      <div className="grid grid-cols-[minmax(0,1fr)_auto] overflow-hidden rounded-lg border border-input bg-card focus-within:outline-2 focus-within:outline-ring">
        <div className="p-3">
          <label htmlFor="calc-amount" className="block text-xs text-muted-foreground">
            {texts.pay}
          </label>
          <input
            id="calc-amount"
            name="typed"
            inputMode="decimal"
            autoComplete="off"
            defaultValue={FIRST}
            aria-describedby={wrong ? 'calc-error' : 'calc-note'}
            aria-invalid={sum ? undefined : true}
            className="w-full bg-transparent text-lg font-semibold tabular-nums outline-none"
          />
          {wrong ? (
            <p id="calc-error" className="text-xs text-danger-text">
              {texts.unreadable}
            </p>
          ) : null}
          {sum && !/^\d+(\.\d\d?)?$/.test(typed.trim()) ? (
            <p data-understood="calc-amount" className="text-xs text-muted-foreground tabular-nums">
              = {usd(sum)}
            </p>
          ) : null}
        </div>
        <span className="self-end justify-self-end p-3 text-base font-semibold text-muted-foreground">
          {texts.currency}
        </span>
        <div className="min-w-0 border-t p-3">
          <span className="block text-xs text-muted-foreground">{texts.get}</span>
          <output
            htmlFor="calc-amount"
            className="block text-base font-semibold wrap-anywhere tabular-nums xs:text-lg"
          >
            {found ? `≈ ${coinText(found.coin)}` : '—'}
          </output>
        </div>
        <div className="flex items-end border-t p-2">
          <span className="relative flex items-center">
            <Coin asset={asset} className="pointer-events-none absolute left-2 hidden size-5 xs:block" />
            <select
              name="asset"
              aria-label={texts.coin}
              defaultValue={asset}
              className="select-arrow h-10 rounded-md border border-input bg-card pr-8 pl-2 text-base xs:pr-9 xs:pl-9 font-semibold"
            >
              {coins.map((code) => (
                <option key={code} value={code} aria-label={`${code}, ${assetNames[code]}`}>
                  {code}
                </option>
              ))}
            </select>
          </span>
        </div>
      </div>
      <fieldset className="mt-4">
        <legend className="mb-1.5 text-sm font-medium">{texts.payWith}</legend>
        <div className="divide-y rounded-lg border bg-card">
          {methods.map((entry) => (
            <Way
              key={entry.method}
              entry={entry}
              first={entry.method === methods[0]?.method}
              found={estimateOf(entry)}
              asset={asset}
            />
          ))}
        </div>
      </fieldset>
      <div id="calc-note" className="mt-3 min-h-10 text-sm text-muted-foreground" aria-live="polite">
        {noteOf(loading, wrong ? '' : texts.unreadable, sum, rate, asset, chosen, found)}
      </div>
      <Onward asset={asset} method={chosen?.method ?? 'card'} sum={sum} found={found} />
    </form>
  )
}

/** What may have been typed before this was alive counts too: the fields are the browser's own. */
function useReader(form: RefObject<HTMLFormElement | null>, set: (choice: Choice) => void): () => void {
  const read = () => {
    if (!form.current) return
    const data = new FormData(form.current)
    const asset = assets.find((code) => code === data.get('asset')) ?? 'BTC'
    set({ typed: String(data.get('typed') ?? ''), asset, method: String(data.get('method') ?? 'card') })
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it comes to life
  useEffect(read, [])
  return read
}

/** "0.00193220" → "0.0019322": whole digits are the reader's. */
function coinText(coin: string): string {
  const [whole = '0', fraction = ''] = coin.split('.')
  const kept = fraction.replace(/0+$/, '')
  const grouped = new Intl.NumberFormat(locale).format(whole as Intl.StringNumericLiteral)
  return kept ? `${grouped}.${kept}` : grouped
}

const feeOf = ({ margin, processingFee }: PublicMethod) =>
  below('0', processingFee) ? `${margin}% + ${usd(processingFee)}` : `${margin}%`

interface WayProps {
  entry: PublicMethod
  first: boolean
  found: Estimate | undefined
  asset: Asset
}

function Way({ entry, first, found, asset }: WayProps) {
  return (
    <label className="flex min-h-11 cursor-pointer items-center gap-3 px-3 py-1.5 text-sm first:rounded-t-lg last:rounded-b-lg has-checked:bg-primary-tint">
      <input
        type="radio"
        name="method"
        value={entry.method}
        defaultChecked={first}
        className="size-4 accent-primary"
      />
      <span className="flex-1">
        <span className="font-medium">{methodLabels[entry.method] ?? entry.method}</span>{' '}
        <span className="inline-block text-muted-foreground">
          {entry.margin ? texts.fee(feeOf(entry)) : ''}
        </span>
      </span>
      <span className="text-right tabular-nums">{found ? `${coinText(found.coin)} ${asset}` : '—'}</span>
    </label>
  )
}

function noteOf(
  loading: boolean,
  missing: string,
  sum: string | undefined,
  rate: string | undefined,
  asset: Asset,
  chosen: PublicMethod | undefined,
  found: Estimate | undefined,
): string {
  if (!sum) return missing
  if (loading) return texts.loading
  if (found && chosen && below(found.base, chosen.minAmount)) return texts.least(usd(chosen.minAmount))
  if (found && chosen?.maxAmount && below(chosen.maxAmount, found.base))
    return texts.most(usd(chosen.maxAmount))
  return found ? texts.note(usd(found.fee), asset, usd(rate)) : texts.later
}

interface OnwardProps {
  asset: Asset
  method: string
  sum: string | undefined
  found: Estimate | undefined
}

/** A visitor signs up first; what is chosen here is filled in afterwards. */
function Onward({ asset, method, sum, found }: OnwardProps) {
  const user = useUser()
  const keep = () =>
    handOver(user?.id, { asset, method, ...(found && sum ? { fiat: found.base, estimate: sum } : {}) })
  const look = buttonVariants({ size: 'lg', className: 'mt-3 w-full' })
  if (user)
    return (
      <Link to="/buy" onClick={keep} className={look}>
        {texts.buy(asset)}
      </Link>
    )
  return (
    <a href={loginHref({ signUp: true, returnTo: '/buy' })} onClick={keep} className={look}>
      {texts.buy(asset)}
    </a>
  )
}
