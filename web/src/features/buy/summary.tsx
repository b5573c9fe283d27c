import { CircleAlert, LoaderCircle, Timer } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { CryptoAmount, Pair, Pairs, Usd } from '@/components/money/money'
import { Failed, Notice } from '@/components/states/states'
import { countdown, usd } from '@/lib/format'
import { failureOf, fieldMessage, HttpError } from '@/lib/http'
import { compare, isPositive, unitCost } from '@/lib/money'
import { buy } from '@/messages/buy'
import { assetNames, methodLabels } from '@/messages/common'
import type { HeldPrice } from './queries'
import type { Quote } from './use-quote'

interface SummaryProps {
  asset: string
  amount: string
  method: string
  quote: Quote
  /** An order can be made at this price: only then is the time shown for which it is held. */
  held: boolean
  /** There is no price that the dollars entered could be counted by. */
  unpriced?: boolean
}

/** specification §2's order summary: asset, amount, method, base price, payment fee, volume discount, total. */
export function Summary({ asset, amount, method, quote, held, unpriced }: SummaryProps) {
  const entered = isPositive(amount)
  return (
    <>
      <Pairs>
        <Pair name={buy.rows.asset}>{`${assetNames[asset] ?? asset} (${asset})`}</Pair>
        <Pair name={buy.rows.amount}>
          {entered ? <CryptoAmount amount={amount.trim()} asset={asset} /> : '—'}
        </Pair>
        <Pair name={buy.rows.method}>{methodLabels[method] ?? '—'}</Pair>
        {quote.price ? <PriceLines price={quote.price} /> : null}
      </Pairs>
      {quote.price ? (
        <p className="mt-2 text-xs text-muted-foreground tabular-nums">
          {entered ? `${buy.rate(asset, usd(unitCost(quote.price.total, amount)))}. ` : ''}
          {buy.networkFeeIncluded}
        </p>
      ) : null}
      {unpriced ? <Unpriced /> : <QuoteState quote={quote} entered={entered} held={held} />}
    </>
  )
}

export function PriceLines({ price }: { price: HeldPrice }) {
  return (
    <>
      <Pair name={buy.rows.basePrice}>
        <Usd amount={price.basePrice} />
      </Pair>
      <Pair name={buy.rows.paymentFee}>
        <Usd amount={price.paymentMethodFee} />
      </Pair>
      {compare(price.volumeDiscount, '0') > 0 ? (
        <Pair name={buy.rows.volumeDiscount}>
          <span className="text-success-text">−{usd(price.volumeDiscount)}</span>
        </Pair>
      ) : null}
      <Pair name={buy.rows.total} strong>
        <Usd amount={price.total} />
      </Pair>
    </>
  )
}

/** The prices are read again by themselves. */
function Unpriced() {
  return (
    <Notice tone="danger" icon={CircleAlert} role="status" className="mt-4" title={buy.calculateFailed}>
      {buy.noPrices}
    </Notice>
  )
}

function QuoteState({ quote, entered, held }: { quote: Quote; entered: boolean; held: boolean }) {
  if (fieldMessage(quote.error, 'amountAsset')) {
    return <p className="mt-4 text-sm text-muted-foreground">{buy.changeAmount}</p>
  }
  if (quote.error instanceof HttpError && quote.error.status === 422) {
    // The entry must change; asking again would not help.
    return (
      <Notice tone="danger" icon={CircleAlert} className="mt-4" title={buy.calculateFailed}>
        {failureOf(quote.error)}
      </Notice>
    )
  }
  if (quote.error) {
    return <Failed className="mt-4" title={buy.calculateFailed} error={quote.error} retry={quote.renew} />
  }
  if (!entered) return <p className="mt-4 text-sm text-muted-foreground">{buy.enterAmount}</p>
  if (quote.loading && !quote.price) {
    return (
      <p role="status" className="mt-4 flex items-center gap-2 text-sm text-muted-foreground">
        <LoaderCircle aria-hidden className="size-4 animate-spin" />
        {buy.calculating}
      </p>
    )
  }
  return quote.price && held ? <Countdown quote={quote} /> : null
}

/** The time left, shown always; screen readers announce it at 30 seconds and at the end only. */
export function Countdown({ quote }: { quote: Quote }) {
  const { secondsLeft, expired } = quote
  const [said, setSaid] = useState('')
  const last = useRef(secondsLeft)
  useEffect(() => {
    if (last.current > 30 && secondsLeft <= 30 && secondsLeft > 0) setSaid(buy.announce30)
    if (last.current > 0 && secondsLeft === 0) setSaid(buy.announceEnd)
    last.current = secondsLeft
  }, [secondsLeft])
  return (
    <>
      <p className="mt-3 flex items-center gap-1.5 text-sm text-muted-foreground tabular-nums">
        <Timer aria-hidden className="size-4" />
        {expired || secondsLeft === 0 ? buy.quoteRenewing : buy.quoteHeld(countdown(secondsLeft))}
      </p>
      <span role="status" className="sr-only">
        {said}
      </span>
    </>
  )
}
