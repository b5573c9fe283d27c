import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleAlert, CircleCheck, Clock } from 'lucide-react'
import { useState } from 'react'
import type { AccountRights } from '@/api/types.gen'
import { Field } from '@/components/form/field'
import { Page } from '@/components/layout/page'
import { Failed, LoadingRows, Notice } from '@/components/states/states'
import { Time } from '@/components/status/time'
import { Button } from '@/components/ui/button'
import { buttonVariants } from '@/components/ui/button-variants'
import { Card, CardLead, CardTitle } from '@/components/ui/card'
import { Input } from '@/components/ui/input'
import { HttpError, messageOf } from '@/lib/http'
import { settings as texts } from '@/messages/settings'
import { rights, rightsQuery } from './queries'

export function RightsScreen() {
  const query = useQuery(rightsQuery)
  return (
    <Page
      title={texts.rightsTitle}
      lead={texts.rightsLead}
      actions={
        <Link to="/settings/profile" className={buttonVariants({ variant: 'outline' })}>
          {texts.back}
        </Link>
      }
    >
      {query.data ? (
        <div className="grid items-start gap-6 lg:grid-cols-2">
          <CopyCard now={query.data} />
          <RestrictCard now={query.data} />
          <Card>
            <CardTitle>{texts.optOutTitle}</CardTitle>
            <CardLead>{texts.optOutText}</CardLead>
            <Link
              to="/settings/profile"
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

type Ask = (code: string) => Promise<AccountRights>

/** One wish: a code is asked for when the server wants one, and what it says stands beside the button. */
function useWish() {
  const client = useQueryClient()
  const [code, setCode] = useState('')
  const asking = useMutation({
    mutationFn: (ask: Ask) => ask(code.trim()),
    onSuccess: (now) => client.setQueryData(rightsQuery.queryKey, now),
    onSettled: () => setCode(''),
  })
  const refusal = asking.error instanceof HttpError ? asking.error.code : ''
  const wantsCode = ['fresh_code_required', 'invalid_code', 'two_factor_locked'].includes(refusal)
  return { asking, code, setCode, wantsCode }
}

function Wish({ wish, id }: { wish: ReturnType<typeof useWish>; id: string }) {
  const { asking, code, setCode, wantsCode } = wish
  return (
    <>
      {wantsCode ? (
        <div className="mt-4 max-w-xs">
          <Field id={`${id}-code`} label={texts.code} hint={texts.codeHint}>
            {(field) => (
              <Input
                {...field}
                autoComplete="one-time-code"
                value={code}
                onChange={(event) => setCode(event.target.value)}
              />
            )}
          </Field>
        </div>
      ) : null}
      {asking.error ? (
        <Notice tone="danger" icon={CircleAlert} role="alert" title={texts.failed} className="mt-4">
          {messageOf(asking.error, texts.failed)}
        </Notice>
      ) : null}
    </>
  )
}

function CopyCard({ now }: { now: AccountRights }) {
  const wish = useWish()
  const copy = now.export
  return (
    <Card>
      <CardTitle>{texts.exportTitle}</CardTitle>
      <CardLead>{texts.exportText}</CardLead>
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
      {copy?.status === 'expired' ? (
        <p className="mt-4 text-sm text-muted-foreground">{texts.expired}</p>
      ) : null}
      <Wish wish={wish} id="copy" />
      <div className="mt-4 flex flex-wrap gap-2">
        {copy?.status === 'ready' ? (
          <a href={`/api/account/data/${copy.id}`} download className={buttonVariants()}>
            {texts.download}
          </a>
        ) : (
          <Button
            disabled={wish.asking.isPending || copy?.status === 'requested'}
            onClick={() => wish.asking.mutate(rights.copy)}
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
      <Wish wish={wish} id="restrict" />
      <Button
        variant="outline"
        className="mt-4"
        disabled={wish.asking.isPending}
        onClick={() => wish.asking.mutate(() => rights.restrict(!now.restricted))}
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
        <Wish wish={wish} id="keep" />
        <Button
          className="mt-4"
          disabled={wish.asking.isPending}
          onClick={() => wish.asking.mutate(() => rights.keep(), { onSuccess: () => setSure(false) })}
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
      <Wish wish={wish} id="close" />
      <div className="mt-4 flex flex-wrap items-center gap-2">
        {sure ? (
          <Button
            variant="destructive"
            disabled={wish.asking.isPending}
            onClick={() => wish.asking.mutate(rights.close)}
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
