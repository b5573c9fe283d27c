import { useQuery } from '@tanstack/react-query'
import { Tabs } from 'radix-ui'
import { lazy, Suspense, useCallback, useState } from 'react'
import { PageHead } from '@/components/layout/page'
import { LoadingRows } from '@/components/states/states'
import { Card, CardLead } from '@/components/ui/card'
import { usd } from '@/lib/format'
import { useSignedInUser } from '@/lib/session'
import { adminPricing as texts } from '@/messages/admin-pricing'
import { type PricingTab, pricingTabs } from './filters'
import { Loaded } from './loaded'
import { MethodCard } from './pricing-method-card'
import { kycPricingQuery, methodPricingQuery, volumeTiersQuery } from './pricing-queries'
import { UnsavedGuard } from './unsaved-guard'

/** What is below the prices, or behind another tab, is loaded after them. */
const PricingHistory = lazy(async () => ({ default: (await import('./pricing-history')).PricingHistory }))
const Locations = lazy(async () => ({ default: (await import('./pricing-locations')).Locations }))

interface PricingScreenProps {
  tab: PricingTab
  onTab: (tab: PricingTab) => void
}

/** SPEC §2: four tabs; what is entered and not saved is not lost by a click beside. */
export function AdminPricingScreen({ tab, onTab }: PricingScreenProps) {
  const mayChange = useSignedInUser().permissions.includes('configure')
  return (
    <>
      <PageHead title={texts.title} />
      {mayChange ? null : <p className="mb-4 text-sm text-muted-foreground">{texts.readOnly}</p>}
      <Tabs.Root value={tab} activationMode="manual" onValueChange={(value) => onTab(value as PricingTab)}>
        <Tabs.List aria-label={texts.title} className="mb-5 flex gap-1 overflow-x-auto border-b">
          {pricingTabs.map((name) => (
            <Tabs.Trigger
              key={name}
              value={name}
              className="h-11 shrink-0 border-b-2 border-transparent px-3 text-sm text-muted-foreground hover:text-foreground data-[state=active]:border-primary data-[state=active]:font-medium data-[state=active]:text-primary"
            >
              {texts.tabs[name]}
            </Tabs.Trigger>
          ))}
        </Tabs.List>
        <Tabs.Content value="payment-methods">
          <Methods mayChange={mayChange} />
        </Tabs.Content>
        <Tabs.Content value="volume-tiers">
          <Tiers />
        </Tabs.Content>
        <Tabs.Content value="kyc-levels">
          <KycLevels />
        </Tabs.Content>
        <Tabs.Content value="locations">
          <Suspense fallback={<LoadingRows rows={2} />}>
            <Locations mayChange={mayChange} />
          </Suspense>
        </Tabs.Content>
      </Tabs.Root>
    </>
  )
}

function Methods({ mayChange }: { mayChange: boolean }) {
  const query = useQuery(methodPricingQuery)
  const [unsaved, setUnsaved] = useState<ReadonlySet<string>>(new Set())
  const onUnsaved = useCallback((id: string, is: boolean) => {
    setUnsaved((before) => {
      const now = new Set(before)
      if (is) now.add(id)
      else now.delete(id)
      return now
    })
  }, [])
  return (
    <>
      <UnsavedGuard unsaved={unsaved.size > 0} />
      <Loaded query={query} failed={texts.fetchFailed.methods}>
        {(methods) => (
          <div className="grid items-start gap-4 xl:grid-cols-2">
            {methods.map((method) => (
              <MethodCard key={method.id} method={method} mayChange={mayChange} onUnsaved={onUnsaved} />
            ))}
          </div>
        )}
      </Loaded>
      <Suspense fallback={<LoadingRows />}>
        <PricingHistory kind="payment_method" />
      </Suspense>
    </>
  )
}

function Tiers() {
  const { tier } = texts
  return (
    <Loaded query={useQuery(volumeTiersQuery)} failed={texts.fetchFailed.tiers}>
      {(tiers) => (
        <ReadTable
          lead={texts.tiersLead}
          caption={texts.tabs['volume-tiers']}
          heads={[tier.name, tier.from, tier.discount, tier.bonus, tier.active]}
          rows={tiers.map((row) => [
            row.tierName,
            usd(row.minVolume30Days),
            `${row.marginDiscountPercent} %`,
            `${row.bonusRewardPercent} %`,
            row.isActive ? texts.yes : texts.no,
          ])}
        />
      )}
    </Loaded>
  )
}

function KycLevels() {
  const { kyc } = texts
  const limit = (amount: string | null) => (amount === null ? texts.unlimited : usd(amount))
  return (
    <Loaded query={useQuery(kycPricingQuery)} failed={texts.fetchFailed.kyc}>
      {(levels) => (
        <ReadTable
          lead={texts.kycLead}
          caption={texts.tabs['kyc-levels']}
          heads={[kyc.level, kyc.adjustment, kyc.single, kyc.day, kyc.month]}
          rows={levels.map((row) => [
            texts.levels[row.kycLevel] ?? row.kycLevel,
            `${row.marginAdjustmentPercent} %`,
            limit(row.maxSingleTransaction),
            limit(row.maxDailyVolume),
            limit(row.maxMonthlyVolume),
          ])}
        />
      )}
    </Loaded>
  )
}

interface ReadTableProps {
  lead: string
  caption: string
  heads: readonly string[]
  rows: readonly (readonly string[])[]
}

/** A table where there is room, and cards with their labels on a phone. */
function ReadTable({ lead, caption, heads, rows }: ReadTableProps) {
  return (
    <Card>
      <CardLead className="mt-0 mb-4">{lead}</CardLead>
      <table className="block w-full text-sm md:table">
        <caption className="sr-only">{caption}</caption>
        <thead className="sr-only md:not-sr-only md:table-header-group">
          <tr>
            {heads.map((head) => (
              <th
                key={head}
                scope="col"
                className="border-b pr-4 pb-2 text-left font-medium text-muted-foreground"
              >
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="block md:table-row-group">
          {rows.map((cells) => (
            <tr key={cells[0]} className="block border-b py-3 last:border-0 md:table-row md:py-0">
              {cells.map((cell, at) => (
                <td
                  key={heads[at]}
                  className="flex justify-between gap-4 py-1 tabular-nums md:table-cell md:py-2.5 md:pr-4"
                >
                  <span aria-hidden className="text-muted-foreground md:hidden">
                    {heads[at]}
                  </span>
                  <span className={at === 0 ? 'font-medium capitalize' : ''}>{cell}</span>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  )
}
