import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Asset } from '@/api/lists.gen'
import { AmountField } from '@/components/form/amount-field'
import { Field } from '@/components/form/field'
import { Fold } from '@/components/form/fold'
import { Pair, Pairs, Usd } from '@/components/money/money'
import { Button } from '@/components/ui/button'
import { buttonVariants } from '@/components/ui/button-variants'
import { Card, CardLead, CardTitle } from '@/components/ui/card'
import { Input, Select } from '@/components/ui/input'
import { addressOf } from '@/lib/clean'
import { useDraft } from '@/lib/draft'
import { crypto, percent } from '@/lib/format'
import { estimatePurchase, isPositive } from '@/lib/money'
import { useCoins, useOffered } from '@/lib/offer'
import { useSignedInUser } from '@/lib/session'
import { toast } from '@/lib/toast'
import { assetNames, common, methodLabels } from '@/messages/common'
import { dashboard } from '@/messages/dashboard'
import { fromDashboardMethod, handOver } from '../buy/draft'
import { ratesQuery } from '../pricing/queries'

/** specification §9: the same for every method. The exact price is /buy's. */
const estimated = { margin: '2.5', processingFee: '0' }

const methods = ['card', 'ach', 'wire', 'cash'] as const

/** The methods that can be used on /buy, under the names that they have there; cash has no other. */
export const waysOf = (offers: (rail: string) => boolean) =>
  methods.filter((way) => offers(fromDashboardMethod[way] || way))

interface Entry {
  asset: Asset
  amountFiat: string
  method: (typeof methods)[number]
  address: string
}

const untouched: Entry = { asset: 'BTC', amountFiat: '', method: 'card', address: '' }

/** specification §2's purchase card: a labelled estimate. Its submit leads to /buy, where the exact price is. */
export function PurchaseCard() {
  const { id: userId } = useSignedInUser()
  const draft = useDraft({ form: 'swap', empty: untouched })
  const { values: entered, setValues: setEntry } = draft
  const coins = useCoins()
  const offers = useOffered('rails')
  const ways = waysOf(offers)
  const entry: Entry = {
    ...entered,
    asset: coins.find((coin) => coin === entered.asset) ?? coins[0] ?? entered.asset,
    method: ways.find((way) => way === entered.method) ?? ways[0] ?? entered.method,
  }
  const [mistake, setMistake] = useState<{ field: 'amount' | 'address'; text: string }>()
  const navigate = useNavigate()
  const { data: rates } = useQuery(ratesQuery)
  const estimate = estimatePurchase(entry.amountFiat, rates?.[entry.asset], estimated)
  const change = (part: Partial<Entry>) => {
    setEntry((before) => ({ ...before, ...part }))
    setMistake(undefined)
  }
  const keep = () =>
    handOver(userId, {
      asset: entry.asset,
      amount: '',
      method: fromDashboardMethod[entry.method] ?? '',
      address: entry.address.trim(),
      ...(isPositive(entry.amountFiat) ? { fiat: entry.amountFiat } : {}),
      ...(estimate ? { estimate: estimate.total } : {}),
    })
  const refuse = (field: 'amount' | 'address', text: string) => {
    setMistake({ field, text })
    toast({ title: common.error, description: text, variant: 'destructive' })
  }
  const submit = () => {
    if (!isPositive(entry.amountFiat)) return refuse('amount', dashboard.amountInvalid)
    if (entry.address.trim() === '') return refuse('address', dashboard.addressMissing)
    keep()
    toast({ title: dashboard.integrationTitle, description: dashboard.integrationText })
    void navigate({ to: '/buy' })
  }
  return (
    <Card id="crypto-swap">
      <CardTitle>{dashboard.purchaseTitle}</CardTitle>
      <CardLead>{dashboard.purchaseLead}</CardLead>
      <Fold of="crypto-swap" label={dashboard.purchaseFold}>
        <form
          noValidate
          className="mt-5 grid gap-4 md:grid-cols-2"
          onSubmit={(event) => {
            event.preventDefault()
            submit()
          }}
        >
          <Field id="swap-asset" label={dashboard.asset}>
            {(props) => (
              <Select
                {...props}
                value={entry.asset}
                onChange={(event) => change({ asset: event.target.value as Asset })}
              >
                {coins.map((asset) => (
                  <option key={asset} value={asset}>
                    {asset} · {assetNames[asset]}
                  </option>
                ))}
              </Select>
            )}
          </Field>
          <AmountField
            id="swap-amount"
            label={dashboard.amountFiat}
            hint={dashboard.amountHint}
            error={mistake?.field === 'amount' ? mistake.text : undefined}
            unit="USD"
            decimals={2}
            positive
            step="0.01"
            min="0"
            placeholder="100.00"
            value={entry.amountFiat}
            onChange={(amountFiat) => change({ amountFiat })}
          />
          <Field id="swap-method" label={dashboard.method}>
            {(props) => (
              <Select
                {...props}
                value={entry.method}
                onChange={(event) => change({ method: event.target.value as Entry['method'] })}
              >
                {ways.map((method) => (
                  <option key={method} value={method}>
                    {methodLabels[method]}
                  </option>
                ))}
              </Select>
            )}
          </Field>
          <Field
            id="swap-address"
            label={dashboard.address}
            error={mistake?.field === 'address' ? mistake.text : undefined}
          >
            {(props) => (
              <Input
                {...props}
                value={entry.address}
                onChange={(event) => change({ address: addressOf(event.target.value) })}
                autoComplete="off"
                autoCapitalize="off"
                spellCheck={false}
              />
            )}
          </Field>
          <div className="rounded-md bg-muted p-4 md:col-span-2">
            <Pairs>
              <Pair name={dashboard.fee(percent(estimated.margin))}>
                {estimate ? '≈ ' : ''}
                <Usd amount={estimate?.fee} />
              </Pair>
              <Pair name={dashboard.received}>
                {estimate?.crypto
                  ? `≈ ${crypto(estimate.crypto)} ${entry.asset}`
                  : estimate
                    ? dashboard.rateMissing
                    : '—'}
              </Pair>
              <Pair name={dashboard.total} strong>
                {estimate ? '≈ ' : ''}
                <Usd amount={estimate?.total} />
              </Pair>
            </Pairs>
          </div>
          <div className="flex flex-wrap items-center gap-3 md:col-span-2">
            <Button type="submit" className="w-full sm:w-auto">
              {dashboard.submit}
            </Button>
            <Link to="/buy" onClick={keep} className={buttonVariants({ variant: 'link', className: 'px-0' })}>
              {dashboard.continueToBuy}
            </Link>
          </div>
        </form>
      </Fold>
    </Card>
  )
}
