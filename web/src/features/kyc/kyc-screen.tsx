import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { lazy, Suspense, useEffect, useRef } from 'react'
import { Page } from '@/components/layout/page'
import { Failed, LoadingRows } from '@/components/states/states'
import { Button } from '@/components/ui/button'
import { Card, CardTitle } from '@/components/ui/card'
import { messageOf } from '@/lib/http'
import { userQuery } from '@/lib/session'
import { currentToasts, dismissToast, toast } from '@/lib/toast'
import { common } from '@/messages/common'
import { kyc } from '@/messages/kyc'
import { LimitsList } from '../buy/limits'
import { LevelsCard } from './levels-card'
import { kycLevelsQuery, kycQuery, requestEnhanced, requestRenewal, requestToken } from './queries'
import { StatusCard } from './status-card'
import { isDone, isFinal } from './texts'

const Widget = lazy(() => import('./widget'))

export function KycScreen() {
  const client = useQueryClient()
  const query = useQuery(kycQuery('screen'))
  useFreshUser(query.data ? `${query.data.status} ${query.data.level}` : undefined)
  const start = useOpening(requestToken, kyc.startFailed)
  const raise = useOpening(requestEnhanced, kyc.applyFailed)
  const renew = useMutation({
    mutationFn: requestRenewal,
    onSuccess: (status) => client.setQueryData(kycQuery('screen').queryKey, status),
    onError: (error) =>
      toast({
        title: kyc.renewFailed,
        description: messageOf(error, kyc.startFailed),
        variant: 'destructive',
      }),
  })
  const token = start.data ?? raise.data
  useEnd(query.data && isDone(query.data), () => {
    start.reset()
    raise.reset()
  })
  // The message after sending is outdated.
  useEnd(query.data && query.data.status !== 'pending', () => {
    for (const { id, title } of currentToasts()) if (title === kyc.submittedTitle) dismissToast(id)
  })
  const close = () => {
    start.reset()
    raise.reset()
    void query.refetch()
  }
  return (
    <Page title={kyc.title} lead={query.data?.status === 'not_started' ? kyc.lead : undefined}>
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="min-w-0 space-y-6">
          {query.error ? (
            <Failed title={common.error} error={query.error} retry={() => void query.refetch()} />
          ) : null}
          {query.isPending ? <LoadingRows rows={1} /> : null}
          {query.data ? (
            <StatusCard
              status={query.data}
              open={token !== undefined}
              pending={start.isPending || raise.isPending || renew.isPending}
              failed={start.isError ? kyc.startFailed : raise.isError ? kyc.applyFailed : undefined}
              onStart={() => start.mutate()}
              onRenew={() => renew.mutate()}
            />
          ) : null}
          {token ? (
            <WidgetCard key={token} token={token} onClose={close} onSubmitted={() => void query.refetch()} />
          ) : null}
        </div>
        <aside className="space-y-6">
          <Card>
            <CardTitle className="mb-4 text-base">{kyc.limitsTitle}</CardTitle>
            <LimitsList refused={query.data !== undefined && isFinal(query.data)} />
          </Card>
          <LevelsCard inForce={query.data?.level} pending={raise.isPending} onApply={() => raise.mutate()} />
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

/** A way to the widget: its token, or a toast that says why there is none. */
function useOpening(open: () => Promise<string>, failed: string) {
  return useMutation({
    mutationFn: open,
    onError: () => toast({ title: common.error, description: failed, variant: 'destructive' }),
  })
}

/** When the status changes, so do the right to buy and the limits. */
function useFreshUser(status: string | undefined): void {
  const client = useQueryClient()
  const before = useRef(status)
  useEffect(() => {
    if (before.current !== undefined && status !== before.current) {
      void client.invalidateQueries({ queryKey: userQuery.queryKey })
      void client.invalidateQueries({ queryKey: ['limits'] })
      void client.invalidateQueries({ queryKey: kycLevelsQuery.queryKey })
    }
    before.current = status
  }, [client, status])
}

/** Closes the widget when the review ends while it is open; an application begins at a level that has ended. */
function useEnd(done: boolean | undefined, close: () => void): void {
  const before = useRef(done)
  useEffect(() => {
    if (done && before.current === false) close()
    before.current = done
  })
}

interface WidgetCardProps {
  token: string
  onSubmitted: () => void
  onClose: () => void
}

function WidgetCard({ token, onSubmitted, onClose }: WidgetCardProps) {
  const place = useRef<HTMLDivElement>(null)
  // On a phone it opens below what is on screen.
  useEffect(() => place.current?.scrollIntoView({ block: 'start' }), [])
  return (
    <div ref={place} className="scroll-mt-20">
      <Card aria-label={kyc.widgetLabel}>
        <div className="mb-3 flex justify-end">
          <Button variant="ghost" size="icon-sm" aria-label={kyc.closeWidget} onClick={onClose}>
            <X aria-hidden />
          </Button>
        </div>
        <Suspense fallback={<LoadingRows rows={1} className="min-h-[600px]" />}>
          <Widget token={token} onSubmitted={onSubmitted} onFailed={onClose} />
        </Suspense>
      </Card>
    </div>
  )
}
