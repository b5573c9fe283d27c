import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { PublicMethod } from '@/api/types.gen'
import { Page } from '@/components/layout/page'
import { Coin } from '@/components/money/coin'
import { Pair, Pairs, Usd } from '@/components/money/money'
import { Failed, LoadingRows } from '@/components/states/states'
import { StatusBadge } from '@/components/status/badge'
import { buttonVariants } from '@/components/ui/button-variants'
import { Card } from '@/components/ui/card'
import { cn } from '@/lib/cn'
import { longTime, percent, usd } from '@/lib/format'
import { loginHref } from '@/lib/login'
import { useCoins, useOffered } from '@/lib/offer'
import { useUser } from '@/lib/session'
import { assetNames, methodLabels } from '@/messages/common'
import { layout } from '@/messages/layout'
import { pricing } from '@/messages/pricing'
import { publicPricesQuery } from './public-prices'

export function PricingScreen() {
  const query = useQuery(publicPricesQuery)
  const offered = useCoins()
  const offers = useOffered('rails')
  return (
    <Page title={pricing.title} lead={pricing.lead}>
      {query.error ? (
        <Failed
          className="mb-6"
          title={pricing.fetchFailed}
          error={query.error}
          retry={() => void query.refetch()}
        />
      ) : null}
      <section>
        <h2 className="mb-4 text-lg">{pricing.prices}</h2>
        <ul className="grid gap-4 sm:grid-cols-2 lg:grid-cols-4">
          {offered.map((asset) => (
            <li key={asset} className="flex items-center gap-3 rounded-lg border bg-card p-4 md:p-5">
              <Coin asset={asset} className="size-10" />
              <div className="min-w-0">
                <p className="text-sm text-muted-foreground">
                  {assetNames[asset]} ({asset})
                </p>
                <p className="truncate text-lg font-semibold tabular-nums">
                  {query.data?.cryptoPrices[asset]
                    ? usd(query.data.cryptoPrices[asset])
                    : pricing.unavailable}
                </p>
              </div>
            </li>
          ))}
        </ul>
        {/* Its line is reserved before it is loaded: nothing below moves. */}
        <p className="mt-3 min-h-5 text-sm text-muted-foreground">
          {query.data?.lastUpdated ? pricing.lastUpdated(longTime(query.data.lastUpdated)) : null}
        </p>
        <p className="text-sm text-muted-foreground">{pricing.note}</p>
      </section>
      <section className={cn('mt-10', query.isPending && 'min-h-screen')}>
        <h2 className="mb-4 text-lg">{pricing.methods}</h2>
        {query.isPending ? <LoadingRows rows={2} /> : null}
        <ul className="grid gap-4 sm:grid-cols-2 lg:grid-cols-4">
          {query.data?.paymentMethods.map((method) => (
            <li key={method.method}>
              <MethodCard method={method} active={method.isEnabled && offers(method.method)} />
            </li>
          ))}
        </ul>
      </section>
      <Promises />
    </Page>
  )
}

/** What a first-time buyer needs, and the next step. */
function Promises() {
  const user = useUser()
  return (
    <Card className="mt-10">
      <h2 className="text-lg">{pricing.promisesTitle}</h2>
      <dl className="mt-4 grid gap-6 md:grid-cols-3">
        {pricing.promises.map(({ title, text }) => (
          <div key={title}>
            <dt className="font-medium">{title}</dt>
            <dd className="mt-1 text-sm text-muted-foreground">{text}</dd>
          </div>
        ))}
      </dl>
      {user ? (
        <Link to="/buy" className={buttonVariants({ className: 'mt-6' })}>
          {pricing.buy}
        </Link>
      ) : (
        <a href={loginHref({ signUp: true })} className={buttonVariants({ className: 'mt-6' })}>
          {layout.getStarted}
        </a>
      )}
    </Card>
  )
}

/** A method is active unless it is disabled, or not offered in the customer's country. */
export function MethodCard({ method, active }: { method: PublicMethod; active: boolean }) {
  const free = /^0+(\.0+)?$/.test(method.processingFee)
  return (
    <Card className="flex h-full flex-col">
      <div className="flex items-start justify-between gap-3">
        <h3 className="text-base">{methodLabels[method.method] ?? method.method}</h3>
        {active ? (
          <StatusBadge look={{ label: pricing.active, tone: 'success' }} />
        ) : (
          <StatusBadge look={{ label: pricing.disabled, tone: 'neutral', ended: true }} />
        )}
      </div>
      <p className="mt-1 mb-4 text-sm text-muted-foreground">{pricing.description(method.description)}</p>
      <Pairs className="mt-auto">
        <Pair name={pricing.platformFee}>{percent(method.margin)}</Pair>
        {free ? null : (
          <Pair name={pricing.processingFee}>
            <Usd amount={method.processingFee} />
          </Pair>
        )}
        <Pair name={pricing.min}>
          <Usd amount={method.minAmount} />
        </Pair>
        <Pair name={pricing.max}>
          {method.maxAmount ? <Usd amount={method.maxAmount} /> : pricing.noLimit}
        </Pair>
      </Pairs>
    </Card>
  )
}
