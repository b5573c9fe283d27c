import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleAlert, CircleCheck, Clock } from 'lucide-react'
import { useState } from 'react'
import type { AccountRights } from '@/api/types.gen'
import { Page } from '@/components/layout/page'
import { Failed, LoadingRows, Notice } from '@/components/states/states'
import { Time } from '@/components/status/time'
import { Button } from '@/components/ui/button'
import { buttonVariants } from '@/components/ui/button-variants'
import { Card, CardLead, CardTitle } from '@/components/ui/card'
import { messageOf } from '@/lib/http'
import { settings as texts } from '@/messages/settings'
import { ConfirmByMail } from '../confirm/confirm-by-mail'
import { dataExport } from '../confirm/mailed-link'
import { StepUpCancelled, useStepUp } from '../two-factor/step-up'
import { rights, rightsQuery } from './queries'

export function RightsScreen() {
  const query = useQuery(rightsQuery)
  return (
    <Page title={texts.rightsTitle} lead={texts.rightsLead}>
      {query.data ? (
        <div className="space-y-6">
          <CopyCard now={query.data} />
          <RestrictCard now={query.data} />
          <Card>
            <CardTitle>{texts.optOutTitle}</CardTitle>
            <CardLead>{texts.optOutText}</CardLead>
            <Link
              to="/settings/notifications"
              className={buttonVariants({ variant: 'outline', className: 'mt-4' })}
            >
              {texts.optOut}
            </Link>
          </Card>
          <CloseCard now={query.data} />
        </div>
      ) : null}
      {!query.data && query.error ? (
        <Failed title={texts.fetchFailed} error={query.error} retry={() => void query.refetch()} />
      ) : null}
      {query.isPending ? <LoadingRows rows={3} /> : null}
    </Page>
  )
}

type Act = (code?: string) => Promise<AccountRights>

/** One request; where the server requires a fresh code, the dialog asks for it first. */
function useWish() {
  const client = useQueryClient()
  const { run, dialog } = useStepUp()
  const asking = useMutation({
    mutationFn: ({ act, coded }: { act: Act; coded: boolean }) => (coded ? run(act) : act()),
    onSuccess: (now) => client.setQueryData(rightsQuery.queryKey, now),
  })
  const error = asking.error instanceof StepUpCancelled ? null : asking.error
  const notes = (
    <>
      {error ? (
        <Notice tone="danger" icon={CircleAlert} role="alert" title={texts.failed} className="mt-4">
          {messageOf(error, texts.failed)}
        </Notice>
      ) : null}
      {dialog}
    </>
  )
  return { pending: asking.isPending, notes, ask: asking.mutate }
}

function CopyCard({ now }: { now: AccountRights }) {
  const wish = useWish()
  const copy = now.export
  return (
    <Card>
      <CardTitle>{texts.exportTitle}</CardTitle>
      <CardLead>{texts.exportText}</CardLead>
      <ConfirmByMail
        id={copy?.id ?? ''}
        of="export"
        link={dataExport}
        until={copy?.status === 'unconfirmed' ? copy.expiresAt : undefined}
        reads={['data-exports']}
        className="mt-4"
      />
      {copy?.status === 'requested' ? (
        <Notice tone="info" icon={Clock} role="status" title={texts.asked} className="mt-4">
          {texts.askedText}
        </Notice>
      ) : null}
      {copy?.status === 'ready' ? (
        <Notice tone="success" icon={CircleCheck} role="status" title={texts.ready} className="mt-4">
          {texts.readyUntil} <Time at={copy.expiresAt} />
        </Notice>
      ) : null}
      {copy?.status === 'expired' && copy.readyAt ? (
        <p className="mt-4 text-sm text-muted-foreground">{texts.expired}</p>
      ) : null}
      {wish.notes}
      <div className="mt-4 flex flex-wrap gap-2">
        {copy?.status === 'ready' ? (
          <a href={`/api/account/data/${copy.id}`} download className={buttonVariants()}>
            {texts.download}
          </a>
        ) : (
          <Button
            disabled={wish.pending || copy?.status === 'requested' || copy?.status === 'unconfirmed'}
            onClick={() => wish.ask({ act: rights.copy, coded: true })}
          >
            {texts.ask}
          </Button>
        )}
      </div>
    </Card>
  )
}

function RestrictCard({ now }: { now: AccountRights }) {
  const wish = useWish()
  return (
    <Card>
      <CardTitle>{texts.restrictTitle}</CardTitle>
      <CardLead>{texts.restrictText}</CardLead>
      {now.restricted ? (
        <Notice tone="pending" icon={CircleAlert} role="status" title={texts.restricted} className="mt-4" />
      ) : null}
      {wish.notes}
      <Button
        variant="outline"
        className="mt-4"
        disabled={wish.pending}
        onClick={() => wish.ask({ act: () => rights.restrict(!now.restricted), coded: false })}
      >
        {now.restricted ? texts.lift : texts.restrict}
      </Button>
    </Card>
  )
}

function CloseCard({ now }: { now: AccountRights }) {
  const wish = useWish()
  const [sure, setSure] = useState(false)
  const { closure } = now
  if (closure?.status === 'waiting')
    return (
      <Card>
        <CardTitle>{texts.closeTitle}</CardTitle>
        <Notice tone="danger" icon={Clock} role="status" title={texts.closing} className="mt-4">
          <Time at={closure.dueAt} long />
        </Notice>
        {wish.notes}
        <Button
          className="mt-4"
          disabled={wish.pending}
          onClick={() => wish.ask({ act: rights.keep, coded: false }, { onSuccess: () => setSure(false) })}
        >
          {texts.keep}
        </Button>
      </Card>
    )
  return (
    <Card>
      <CardTitle>{texts.closeTitle}</CardTitle>
      <CardLead>{texts.closeText(now.closeAfterDays)}</CardLead>
      {closure?.status === 'refused' ? (
        <Notice tone="pending" icon={CircleAlert} title={texts.refused} className="mt-4">
          {closure.because}
        </Notice>
      ) : null}
      {wish.notes}
      <div className="mt-4 flex flex-wrap items-center gap-2">
        {sure ? (
          <Button
            variant="destructive"
            disabled={wish.pending}
            onClick={() => wish.ask({ act: rights.close, coded: true })}
          >
            {texts.closeConfirm}
          </Button>
        ) : (
          <Button variant="outline" onClick={() => setSure(true)}>
            {texts.close}
          </Button>
        )}
        {sure ? <span className="text-sm">{texts.closeAsk}</span> : null}
      </div>
    </Card>
  )
}
