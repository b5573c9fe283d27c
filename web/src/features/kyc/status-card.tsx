import { Link } from '@tanstack/react-router'
import { CircleAlert, CircleCheck, Hourglass, RefreshCw } from 'lucide-react'
import type { KycAttempt, KycStatus } from '@/api/types.gen'
import { PageSteps } from '@/components/layout/page-steps'
import { Notice } from '@/components/states/states'
import { StatusBadge } from '@/components/status/badge'
import { kycLook } from '@/components/status/status'
import { Button } from '@/components/ui/button'
import { buttonVariants } from '@/components/ui/button-variants'
import { Card } from '@/components/ui/card'
import { day } from '@/lib/format'
import { useConfig } from '@/lib/session'
import { common } from '@/messages/common'
import { identity } from '@/messages/identity'
import { kyc } from '@/messages/kyc'
import { ownReason } from './own-reason'
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
      <StatusBadge look={kycLook(status.status, status.canRetry)} />
      {status.status === 'not_started' ? (
        more && (
          <p role="status" className="mt-3 text-sm">
            {more}
          </p>
        )
      ) : (
        <Standing status={status} again={again} />
      )}
      {failed ? (
        <Notice tone="danger" icon={CircleAlert} title={failed} role="alert" className="mt-4" />
      ) : null}
      {status.status === 'not_started' && !open ? (
        <section className="mt-4 border-t pt-4">
          <h2 className="mb-3 text-base">{kyc.stepsTitle}</h2>
          <PageSteps steps={kyc.steps(claims.kycReviewMinutes)} />
          <p className="mt-4 text-sm text-muted-foreground">{kyc.stepsEnd}</p>
        </section>
      ) : null}
      {may && !open ? (
        <Button size="lg" className="mt-5 w-full sm:w-auto" disabled={pending} onClick={onStart}>
          {pending ? common.loading : again ? identity.tryAgain : identity.start}
        </Button>
      ) : null}
      {isFinal(status) ? (
        <Link to="/support" className={buttonVariants({ variant: 'outline', className: 'mt-5' })}>
          {identity.support}
        </Link>
      ) : null}
      {status.renewable && status.expiresAt ? (
        <Notice tone="pending" icon={RefreshCw} title={kyc.renewTitle} className="mt-4">
          <p>{kyc.renewText(day(status.expiresAt))}</p>
          <Button className="mt-3" disabled={pending} onClick={onRenew}>
            {identity.renew}
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

const looks = {
  pending: { tone: 'pending', icon: Hourglass },
  approved: { tone: 'success', icon: CircleCheck },
  rejected: { tone: 'danger', icon: CircleAlert },
  again: { tone: 'pending', icon: CircleAlert },
} as const

/** Where a verification that was begun stands, in one place: the sentence, why, and what to do. */
function Standing({ status, again }: { status: KycStatus; again: boolean }) {
  const { claims } = useConfig()
  const text = kycText(status, claims.kycReviewMinutes)
  const reviewed = status.status === 'pending'
  const more = kycMore(status)
  const reason = isFinal(status) ? ownReason(status) : status.reason
  const look = status.status === 'not_started' ? looks.pending : looks[again ? 'again' : status.status]
  return (
    <Notice {...look} title={reviewed ? kyc.inProgressTitle : text} role="status" className="mt-4">
      {reviewed ? `${text} ${kyc.inProgressText}` : null}
      {reason ? <p>{reason}</p> : null}
      {more ? <p>{more}</p> : null}
      {again && !status.preparing ? <p>{kyc.againText}</p> : null}
      {status.status === 'approved' ? (
        <>
          {status.expiresAt && !status.renewable ? <p>{kyc.validUntil(day(status.expiresAt))}</p> : null}
          <Link to="/buy" className={buttonVariants({ className: 'mt-3' })}>
            {kyc.buyNow}
          </Link>
        </>
      ) : null}
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
        {attempt.status === 'not_started' ? null : <StatusBadge look={kycLook(attempt.status, true)} />}
      </h3>
      <p className="mt-1 text-sm text-muted-foreground">{kyc.attempt[attempt.status]}</p>
      {way && attempt.status !== 'pending' ? (
        <Button variant="outline" className="mt-3" disabled={pending} onClick={onStart}>
          {attempt.status === 'rejected' ? identity.tryAgain : identity.continueLabel}
        </Button>
      ) : null}
    </section>
  )
}
