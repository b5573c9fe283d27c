import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { PricePoint } from '@/api/types.gen'
import { Coin } from '@/components/money/coin'
import { Usd } from '@/components/money/money'
import { buttonVariants } from '@/components/ui/button-variants'
import { Card, CardTitle } from '@/components/ui/card'
import { cn } from '@/lib/cn'
import { shortTime } from '@/lib/format'
import { useCoins } from '@/lib/offer'
import { serverNow } from '@/lib/server-clock'
import { assetNames } from '@/messages/common'
import { dashboard } from '@/messages/dashboard'
import { locale } from '@/messages/locale'
import { priceHistoryQuery, ratesQuery } from '../pricing/queries'
import { HEIGHT, lineOf, WIDTH } from './line'

/** What each coin costs, and how its price went in the last day. */
export function PricesCard() {
  const { data: rates } = useQuery(ratesQuery)
  const history = useQuery(priceHistoryQuery)
  const offered = useCoins()
  return (
    <Card>
      <div className="mb-3 flex flex-wrap items-center justify-between gap-x-4">
        <CardTitle>{dashboard.prices}</CardTitle>
        <Link to="/pricing" className={buttonVariants({ variant: 'ghost', size: 'sm' })}>
          {dashboard.pricesMore}
        </Link>
      </div>
      <ul className="divide-y">
        {offered.map((asset) => (
          <Price
            key={asset}
            asset={asset}
            price={rates?.[asset]}
            points={history.data?.prices[asset]}
            known={!history.isPending}
          />
        ))}
      </ul>
    </Card>
  )
}

interface PriceProps {
  asset: string
  price: string | undefined
  points: PricePoint[] | undefined
  known: boolean
}

function Price({ asset, price, points, known }: PriceProps) {
  const line = lineOf(points, price, serverNow())
  return (
    <li className="flex items-center gap-2 py-1.5 text-sm sm:gap-3 sm:py-3">
      <Coin asset={asset} className="size-6 sm:size-9" />
      <span className="min-w-0 flex-1 font-medium">
        {assetNames[asset]}
        <span className="block text-xs font-normal text-muted-foreground max-sm:hidden">{asset}</span>
      </span>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        aria-hidden="true"
        className={cn(
          'hidden h-6 w-10 shrink-0 xs:block sm:h-9 sm:w-28',
          line && line.change < 0 ? 'text-danger-text' : 'text-success-text',
        )}
      >
        {line ? (
          <path
            d={line.path}
            fill="none"
            stroke="currentColor"
            strokeWidth="1.5"
            vectorEffect="non-scaling-stroke"
          />
        ) : (
          <path
            d={`M0 ${HEIGHT / 2}H${WIDTH}`}
            className="stroke-border"
            strokeDasharray="3 3"
            vectorEffect="non-scaling-stroke"
          />
        )}
      </svg>
      <span className="flex flex-row-reverse flex-wrap items-baseline gap-x-2 text-right sm:block sm:min-w-28">
        <Usd amount={price} className="font-semibold" />
        <span className="min-h-4 text-xs text-muted-foreground tabular-nums sm:block">
          {line ? (
            <Change change={line.change} since={line.since} />
          ) : known ? (
            <span className="max-sm:sr-only">{dashboard.noHistory}</span>
          ) : null}
        </span>
      </span>
    </li>
  )
}

const percents = new Intl.NumberFormat(locale, {
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
  signDisplay: 'exceptZero',
})

function Change({ change, since }: { change: number; since: string | undefined }) {
  return (
    <>
      <span className={cn('font-medium', change < 0 ? 'text-danger-text' : 'text-success-text')}>
        {percents.format(change)}%
      </span>{' '}
      <span className="max-sm:sr-only">{since ? dashboard.since(shortTime(since)) : dashboard.inADay}</span>
    </>
  )
}
