import { Link } from '@tanstack/react-router'
import { Coin } from '@/components/money/coin'
import { useLivePrices } from '@/features/pricing/use-live-prices'
import { useCoins } from '@/lib/offer'
import { assetNames } from '@/messages/common'
import { landing } from '@/messages/landing'
import { locale } from '@/messages/locale'

/** Implemented here: lib/format comes with the signed-in screens' code, and a visitor loads none of that. */
const dollars = new Intl.NumberFormat(locale, { style: 'currency', currency: 'USD' })

/** The current price of each coin; an unknown price is "—". */
export default function LivePrices() {
  const prices = useLivePrices()?.cryptoPrices
  const offered = useCoins()
  return (
    <div className="container-page flex flex-col gap-x-8 gap-y-3 py-4 lg:flex-row lg:items-center">
      <dl className="grid flex-1 grid-cols-2 gap-x-4 gap-y-3 lg:grid-cols-4">
        {offered.map((asset) => (
          <div key={asset} className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-2.5">
            <dt className="col-start-2 text-xs text-muted-foreground">{assetNames[asset]}</dt>
            <dd className="col-start-2 text-base font-semibold wrap-anywhere tabular-nums">
              {prices?.[asset] ? dollars.format(prices[asset] as Intl.StringNumericLiteral) : '—'}
            </dd>
            <Coin asset={asset} className="col-start-1 row-span-2 row-start-1 size-8" />
          </div>
        ))}
      </dl>
      <Link
        to="/pricing"
        className="self-start py-1 text-sm font-medium text-primary underline underline-offset-4 lg:self-center"
      >
        {landing.pricesMore}
      </Link>
    </div>
  )
}
