import { Link } from '@tanstack/react-router'
import { CircleAlert, CircleCheck, Hourglass, RefreshCw } from 'lucide-react'
import type { KycAttempt, KycStatus } from '@/api/types.gen'
import { PageSteps } from '@/components/layout/page-steps'
import { Notice } from '@/components/states/states'
import { StatusBadge } from '@/components/status/badge'
import { kycLook } from '@/components/status/status'
import { Button } from '@/components/ui/button'
import { buttonVariants } from '@/components/ui/button-variants'
import { Card, CardTitle } from '@/components/ui/card'
import { day } from '@/lib/format'
import { useConfig } from '@/lib/session'
import { common } from '@/messages/common'
import { kyc } from '@/messages/kyc'
import { isFinal, kycMore, kycText } from './texts'

interface StatusCardProps {
  status: KycStatus
  /** The widget is on the page: starting again would only disturb it. */
  open: boolean
  pending: boolean
  /** What went wrong at the start, if something did. */
  failed: string | undefined
  onStart: () => void
  onRenew: () => void
}

/** Where a customer's verification stands, what it takes before it begins, and the way on. */
export function StatusCard({ status, open, pending, failed, onStart, onRenew }: StatusCardProps) {
  const { claims } = useConfig()
  const again = status.status === 'rejected' && status.canRetry
  const may = (status.status === 'not_started' || again) && !status.preparing
  const more = kycMore(status)
  return (
    <Card>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <CardTitle>{kyc.cardTitle}</CardTitle>
        <StatusBadge look={kycLook(status.status)} />
      </div>
      <p role="status" className="mt-3 text-sm">
        {kycText(status, claims.kycReviewMinutes)}
      </p>
      {more ? <p className="mt-1 text-sm text-muted-foreground">{more}</p> : null}
      {status.reason ? (
        <p className="mt-1 text-sm text-muted-foreground">{kyc.reason(status.reason)}</p>
      ) : null}
      {failed ? (
        <Notice tone="danger" icon={CircleAlert} title={failed} role="alert" className="mt-4" />
      ) : null}
      {status.status === 'not_started' && !open ? (
        <section className="mt-4 border-t pt-4">
          <h3 className="mb-3 text-base">{kyc.stepsTitle}</h3>
          <PageSteps steps={kyc.steps(claims.kycReviewMinutes)} />
          <p className="mt-4 text-sm text-muted-foreground">{kyc.stepsEnd}</p>
        </section>
      ) : null}
      {may && !open ? (
        <Button size="lg" className="mt-5 w-full sm:w-auto" disabled={pending} onClick={onStart}>
          {pending ? common.loading : again ? kyc.tryAgain : kyc.start}
        </Button>
      ) : null}
      {isFinal(status) ? (
        <Link to="/support" className={buttonVariants({ variant: 'outline', className: 'mt-5' })}>
          {kyc.support}
        </Link>
      ) : null}
      {status.status === 'pending' ? (
        <Notice tone="pending" icon={Hourglass} title={kyc.inProgressTitle} className="mt-4">
          {kyc.inProgressText}
        </Notice>
      ) : null}
      {status.status === 'approved' ? <Success status={status} /> : null}
      {status.renewable && status.expiresAt ? (
        <Notice tone="pending" icon={RefreshCw} title={kyc.renewTitle} className="mt-4">
          <p>{kyc.renewText(day(status.expiresAt))}</p>
          <Button className="mt-3" disabled={pending} onClick={onRenew}>
            {kyc.renew}
          </Button>
        </Notice>
      ) : null}
      {status.attempt ? (
        <Attempt
          attempt={status.attempt}
          way={!status.preparing && !open}
          pending={pending}
          onStart={onStart}
        />
      ) : null}
    </Card>
  )
}

function Success({ status }: { status: KycStatus }) {
  return (
    <Notice tone="success" icon={CircleCheck} title={kyc.successTitle} className="mt-4">
      <p>{kyc.successText}</p>
      {status.expiresAt && !status.renewable ? <p>{kyc.validUntil(day(status.expiresAt))}</p> : null}
      <Link to="/buy" className={buttonVariants({ className: 'mt-3' })}>
        {kyc.buyNow}
      </Link>
    </Notice>
  )
}

interface AttemptProps {
  attempt: KycAttempt
  way: boolean
  pending: boolean
  onStart: () => void
}

/** What a verified customer applies for besides. */
function Attempt({ attempt, way, pending, onStart }: AttemptProps) {
  return (
    <section className="mt-5 border-t pt-4">
      <h3 className="flex flex-wrap items-center justify-between gap-3 text-sm font-semibold">
        {kyc.attemptTitle[attempt.renewal ? 'standard' : 'enhanced']}
        {attempt.status === 'not_started' ? null : <StatusBadge look={kycLook(attempt.status)} />}
      </h3>
      <p className="mt-1 text-sm text-muted-foreground">{kyc.attempt[attempt.status]}</p>
      {way && attempt.status !== 'pending' ? (
        <Button variant="outline" className="mt-3" disabled={pending} onClick={onStart}>
          {attempt.status === 'rejected' ? kyc.tryAgain : kyc.continueLabel}
        </Button>
      ) : null}
    </section>
  )
}
