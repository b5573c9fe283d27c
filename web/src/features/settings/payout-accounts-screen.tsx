import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Landmark } from 'lucide-react'
import type { Payout } from '@/api/types.gen'
import { MoreButton } from '@/components/form/more-button'
import { Page } from '@/components/layout/page'
import { Failed, LoadingRows, NothingYet } from '@/components/states/states'
import { Time } from '@/components/status/time'
import { buttonVariants } from '@/components/ui/button-variants'
import { Card } from '@/components/ui/card'
import { rowsOf } from '@/lib/paging'
import { useSignedInUser } from '@/lib/session'
import { locale } from '@/messages/locale'
import { settings as texts } from '@/messages/settings'
import { HoldNotice } from '../orders/hold-notice'
import { payoutsQuery } from '../payouts/queries'

const countries = new Intl.DisplayNames(locale, { type: 'region' })

/** The accounts of these payouts, each once, with its latest payout. The rows come newest first. */
export function accountsOf(payouts: readonly Payout[]): Payout[] {
  const seen = new Set<string>()
  return payouts.filter(({ accountKind, accountCountry, accountLast4 }) => {
    const account = `${accountKind} ${accountCountry} ${accountLast4}`
    return !seen.has(account) && seen.add(account)
  })
}

/** The accounts money was paid out to. Their numbers are not kept, so none of them can be chosen again. */
export function PayoutAccountsScreen() {
  const query = useInfiniteQuery(payoutsQuery)
  const held = useSignedInUser().hold === 'frozen'
  const accounts = accountsOf(rowsOf(query.data?.pages))
  return (
    <Page title={texts.payoutsTitle} lead={texts.payoutsLead}>
      <HoldNotice of="account" className="mb-4" />
      {query.error ? (
        <Failed title={texts.fetchFailed} error={query.error} retry={() => void query.refetch()} />
      ) : null}
      {query.isPending ? <LoadingRows rows={2} /> : null}
      {query.data && accounts.length === 0 ? (
        <Card>
          <NothingYet
            icon={Landmark}
            title={texts.payoutsEmpty}
            hint={texts.payoutsEmptyHint}
            {...(held ? {} : { action: <PayOut /> })}
          />
        </Card>
      ) : null}
      {accounts.length > 0 ? (
        <>
          <ul className="mb-4 divide-y rounded-lg border bg-card">
            {accounts.map((payout) => (
              <Account key={payout.id} payout={payout} />
            ))}
          </ul>
          {held ? null : <PayOut />}
        </>
      ) : null}
      <MoreButton query={query} />
    </Page>
  )
}

function PayOut() {
  return (
    <Link to="/payouts/new" className={buttonVariants({ variant: 'outline' })}>
      {texts.payOut}
    </Link>
  )
}

function Account({ payout }: { payout: Payout }) {
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-3.5 md:px-6">
      <Landmark aria-hidden className="size-5 shrink-0 text-muted-foreground" />
      <span className="min-w-0 flex-1 basis-48">
        <span className="block text-sm font-medium">
          {texts.account(payout.accountKind === 'iban', payout.accountLast4)}
        </span>
        <span className="block text-sm text-muted-foreground">{countries.of(payout.accountCountry)}</span>
      </span>
      <Link
        to="/payouts/$id"
        params={{ id: payout.id }}
        className="rounded-sm text-sm text-primary underline-offset-4 hover:underline"
      >
        {payout.status === 'paid' ? texts.lastPayout : texts.askedPayout} <Time at={payout.createdAt} />
      </Link>
    </li>
  )
}
