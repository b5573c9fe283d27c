import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleAlert, CircleCheck, Hourglass, X } from 'lucide-react'
import { lazy, Suspense, useEffect, useRef } from 'react'
import type { KycStatus } from '@/api/types.gen'
import { Page } from '@/components/layout/page'
import { Failed, LoadingRows, Notice } from '@/components/states/states'
import { StatusBadge } from '@/components/status/badge'
import { kycLook } from '@/components/status/status'
import { Button } from '@/components/ui/button'
import { buttonVariants } from '@/components/ui/button-variants'
import { Card, CardTitle } from '@/components/ui/card'
import { userQuery } from '@/lib/session'
import { toast } from '@/lib/toast'
import { common } from '@/messages/common'
import { kyc } from '@/messages/kyc'
import { LimitsList } from '../buy/limits'
import { kycQuery, requestToken } from './queries'
import { kycText } from './texts'

const Widget = lazy(() => import('./widget'))

/** SPEC §9: every 5 s on this screen. */
const POLL_MS = 5_000

export function KycScreen() {
  const query = useQuery(kycQuery(POLL_MS))
  useFreshUser(query.data?.status)
  const start = useMutation({
    mutationFn: requestToken,
    onError: () => toast({ title: common.error, description: kyc.startFailed, variant: 'destructive' }),
  })
  return (
    <Page title={kyc.title} lead={kyc.lead}>
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="min-w-0 space-y-6">
          {query.error ? (
            <Failed title={common.error} error={query.error} retry={() => void query.refetch()} />
          ) : null}
          {query.isPending ? <LoadingRows rows={1} /> : null}
          {query.data ? (
            <StatusCard
              status={query.data}
              open={start.data !== undefined}
              pending={start.isPending}
              failed={start.isError}
              onStart={() => start.mutate()}
            />
          ) : null}
          {start.data ? (
            <WidgetCard token={start.data} onClose={start.reset} onSubmitted={() => void query.refetch()} />
          ) : null}
        </div>
        <aside className="space-y-6">
          <Card>
            <CardTitle className="mb-4 text-base">{kyc.limitsTitle}</CardTitle>
            <LimitsList />
          </Card>
          <Card>
            <CardTitle className="mb-3 text-base">{kyc.whyTitle}</CardTitle>
            <ul className="list-disc space-y-2 pl-5 text-sm text-muted-foreground">
              {kyc.why.map((line) => (
                <li key={line}>{line}</li>
              ))}
            </ul>
          </Card>
        </aside>
      </div>
    </Page>
  )
}

/** When the status changes, so do the right to buy and the limits. */
function useFreshUser(status: string | undefined): void {
  const client = useQueryClient()
  const before = useRef(status)
  useEffect(() => {
    if (before.current !== undefined && status !== before.current) {
      void client.invalidateQueries({ queryKey: userQuery.queryKey })
      void client.invalidateQueries({ queryKey: ['limits'] })
    }
    before.current = status
  }, [client, status])
}

interface StatusCardProps {
  status: KycStatus
  /** The widget is on the page: starting again would only disturb it. */
  open: boolean
  pending: boolean
  failed: boolean
  onStart: () => void
}

function StatusCard({ status, open, pending, failed, onStart }: StatusCardProps) {
  const again = status.status === 'rejected' && status.canRetry
  const may = status.status === 'not_started' || again
  return (
    <Card>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <CardTitle>{kyc.cardTitle}</CardTitle>
        <StatusBadge look={kycLook(status.status)} />
      </div>
      <p role="status" className="mt-3 text-sm">
        {kycText(status)}
      </p>
      {status.reason && status.status === 'rejected' ? (
        <p className="mt-1 text-sm text-muted-foreground">{kyc.reason(status.reason)}</p>
      ) : null}
      {failed ? (
        <Notice tone="danger" icon={CircleAlert} title={kyc.startFailed} role="alert" className="mt-4" />
      ) : null}
      {may && !open ? (
        <Button size="lg" className="mt-5" disabled={pending} onClick={onStart}>
          {pending ? common.loading : again ? kyc.tryAgain : kyc.start}
        </Button>
      ) : null}
      {status.status === 'pending' ? (
        <Notice tone="pending" icon={Hourglass} title={kyc.inProgressTitle} className="mt-4">
          {kyc.inProgressText}
        </Notice>
      ) : null}
      {status.status === 'approved' ? (
        <Notice tone="success" icon={CircleCheck} title={kyc.successTitle} className="mt-4">
          <p>{kyc.successText}</p>
          <Link to="/buy" className={buttonVariants({ className: 'mt-3' })}>
            {kyc.buyNow}
          </Link>
        </Notice>
      ) : null}
    </Card>
  )
}

interface WidgetCardProps {
  token: string
  onSubmitted: () => void
  onClose: () => void
}

function WidgetCard({ token, onSubmitted, onClose }: WidgetCardProps) {
  return (
    <Card aria-label={kyc.widgetLabel}>
      <div className="mb-3 flex items-center justify-between gap-3">
        <CardTitle className="text-base">{kyc.widgetLabel}</CardTitle>
        <Button variant="ghost" size="icon-sm" aria-label={kyc.closeWidget} onClick={onClose}>
          <X aria-hidden />
        </Button>
      </div>
      <Suspense fallback={<LoadingRows rows={1} className="min-h-[600px]" />}>
        <Widget token={token} onSubmitted={onSubmitted} onFailed={onClose} />
      </Suspense>
    </Card>
  )
}
