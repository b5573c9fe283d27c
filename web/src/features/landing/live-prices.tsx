import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { publicPricesQuery } from '@/features/pricing/public-prices'
import { assetNames } from '@/messages/common'
import { landing } from '@/messages/landing'
import { locale } from '@/messages/locale'

const assets = ['BTC', 'ETH', 'USDT', 'USDC'] as const

/** By itself: lib/format comes with what signed-in screens are made of, and a visitor loads none of that. */
const dollars = new Intl.NumberFormat(locale, { style: 'currency', currency: 'USD' })

/** What each coin costs now; a price that is not known is "—". */
export default function LivePrices() {
  const prices = useQuery(publicPricesQuery).data?.cryptoPrices
  return (
    <div className="container-page flex flex-wrap items-center gap-x-8 gap-y-4 py-5">
      <dl className="grid flex-1 grid-cols-2 gap-x-6 gap-y-4 lg:grid-cols-4">
        {assets.map((asset) => (
          <div key={asset}>
            <dt className="text-xs text-muted-foreground">
              {assetNames[asset]} {asset}
            </dt>
            <dd className="text-base font-semibold tabular-nums">
              {prices?.[asset] ? dollars.format(prices[asset] as Intl.StringNumericLiteral) : '—'}
            </dd>
          </div>
        ))}
      </dl>
      <Link to="/pricing" className="text-sm font-medium text-primary underline underline-offset-4">
        {landing.pricesMore}
      </Link>
    </div>
  )
}
