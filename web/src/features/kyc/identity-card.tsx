import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { KycStatus } from '@/api/types.gen'
import { Failed } from '@/components/states/states'
import { StatusBadge } from '@/components/status/badge'
import { kycLook } from '@/components/status/status'
import { buttonVariants } from '@/components/ui/button-variants'
import { Card, CardTitle } from '@/components/ui/card'
import { Skeleton } from '@/components/ui/skeleton'
import { useConfig, useSignedInUser } from '@/lib/session'
import { common } from '@/messages/common'
import { identity } from '@/messages/identity'
import { kycQuery } from './queries'
import { isFinal, kycMore, kycText } from './texts'

/** The session's status before more is loaded: of a refusal, whether it is final is unknown. */
const known: Record<string, Pick<KycStatus, 'status' | 'canRetry'>> = {
  not_started: { status: 'not_started', canRetry: true },
  pending: { status: 'pending', canRetry: false },
  verified: { status: 'approved', canRetry: false },
}

/** specification §2's Identity Verification card. */
export function IdentityCard() {
  const { claims } = useConfig()
  const user = useSignedInUser()
  const query = useQuery(kycQuery('dashboard'))
  const status = query.data?.status
  const text = query.data ?? known[user.kycStatus]
  const repeatable = status !== 'rejected' || query.data?.canRetry
  return (
    <Card className="flex flex-wrap items-center justify-between gap-4 md:py-4">
      <div className="min-w-0 items-baseline gap-x-4 lg:flex">
        <div className="flex flex-wrap items-center gap-3">
          <CardTitle>{identity.cardTitle}</CardTitle>
          {status ? <StatusBadge look={kycLook(status, query.data?.canRetry)} /> : null}
        </div>
        {text ? (
          <div className="mt-2 text-sm text-muted-foreground lg:mt-0">
            <p>{kycText(text, claims.kycReviewMinutes)}</p>
            {query.data && kycMore(query.data) ? <p>{kycMore(query.data)}</p> : null}
          </div>
        ) : (
          <Skeleton className="mt-2 h-5 w-64 max-w-full" />
        )}
      </div>
      {query.error ? (
        <Failed title={common.error} error={query.error} retry={() => void query.refetch()} />
      ) : null}
      {status && status !== 'approved' && status !== 'pending' && repeatable ? (
        <Link to="/kyc" className={buttonVariants()}>
          {status === 'rejected' ? identity.tryAgain : identity.start}
        </Link>
      ) : null}
      {query.data && isFinal(query.data) ? (
        <Link to="/support" className={buttonVariants({ variant: 'outline' })}>
          {identity.support}
        </Link>
      ) : null}
      {query.data?.renewable || query.data?.attempt ? (
        <Link to="/kyc" className={buttonVariants({ variant: 'outline' })}>
          {query.data.renewable ? identity.renew : identity.continueLabel}
        </Link>
      ) : null}
    </Card>
  )
}
