import { useQuery } from '@tanstack/react-query'
import { Tabs } from 'radix-ui'
import { lazy, Suspense, useCallback, useState } from 'react'
import { PageHead } from '@/components/layout/page'
import { LoadingRows } from '@/components/states/states'
import { useSignedInUser } from '@/lib/session'
import { adminPricing as texts } from '@/messages/admin-pricing'
import { Loaded } from '../shared/loaded'
import { UnsavedGuard } from '../shared/unsaved-guard'
import { type PricingTab, pricingTabs } from './filters'
import { MethodCard } from './pricing-method-card'
import { methodPricingQuery } from './queries'

/** What is below the prices, or behind another tab, is loaded after them. */
const PricingHistory = lazy(async () => ({ default: (await import('./pricing-history')).PricingHistory }))
const Tiers = lazy(async () => ({ default: (await import('./pricing-tables')).Tiers }))
const KycLevels = lazy(async () => ({ default: (await import('./pricing-tables')).KycLevels }))
const Locations = lazy(async () => ({ default: (await import('./pricing-locations')).Locations }))

interface PricingScreenProps {
  tab: PricingTab
  onTab: (tab: PricingTab) => void
}

/** specification §2: four tabs; what is entered and not saved is not lost by a click beside. */
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
          <Suspense fallback={<LoadingRows />}>
            <Tiers />
          </Suspense>
        </Tabs.Content>
        <Tabs.Content value="kyc-levels">
          <Suspense fallback={<LoadingRows />}>
            <KycLevels />
          </Suspense>
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
          <div className="grid gap-4 xl:grid-cols-2">
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
