import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useDeferredValue } from 'react'
import { Fold } from '@/components/form/fold'
import { Failed, LoadingRows } from '@/components/states/states'
import { Card, CardLead, CardTitle } from '@/components/ui/card'
import { giftCards as texts } from '@/messages/gift-cards'
import { catalogueQuery } from './queries'

const TradeForm = lazy(() => import('./trade-form'))

/** specification §2's gift-card trade card. */
export function TradeCard() {
  const catalogue = useQuery(catalogueQuery)
  // Its hundreds of options are made in small pieces, between which the page answers.
  const known = useDeferredValue(catalogue.data)
  const waiting = <LoadingRows rows={2} className="mt-4 max-md:min-h-[35rem]" />
  return (
    // Keeps the brands' room until they are loaded, so that the content below does not move.
    <Card id="gift-cards" className={known || catalogue.error ? '' : 'md:min-h-(--room)'}>
      <CardTitle>{texts.tradeTitle}</CardTitle>
      <CardLead>{texts.tradeLead}</CardLead>
      {catalogue.error ? (
        <Failed
          className="mt-4"
          title={texts.catalogueFailed}
          error={catalogue.error}
          retry={() => void catalogue.refetch()}
        />
      ) : null}
      <Fold of="gift-cards" label={texts.fold}>
        {known || catalogue.error ? null : waiting}
        {known ? (
          <Suspense fallback={waiting}>
            <TradeForm catalogue={known} />
          </Suspense>
        ) : null}
      </Fold>
    </Card>
  )
}
