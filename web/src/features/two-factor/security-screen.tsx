import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ExternalLink } from 'lucide-react'
import { endOneSession, endOtherSessions } from '@/api/sdk.gen'
import type { ActiveSession } from '@/api/types.gen'
import { Page } from '@/components/layout/page'
import { Failed, LoadingRows } from '@/components/states/states'
import { StatusBadge } from '@/components/status/badge'
import { Time } from '@/components/status/time'
import { Button } from '@/components/ui/button'
import { buttonVariants } from '@/components/ui/button-variants'
import { Card, CardLead, CardTitle } from '@/components/ui/card'
import { messageOf } from '@/lib/http'
import { useConfig } from '@/lib/session'
import { toast } from '@/lib/toast'
import { common } from '@/messages/common'
import { security, twoFactor } from '@/messages/two-factor'
import { sessionsQuery, twoFactorQuery } from './queries'
import { RecoveryNotice } from './recovery'

/** The second factor at a glance, and every place the account is signed in. */
export function SecurityScreen() {
  const status = useQuery(twoFactorQuery)
  return (
    <Page title={security.title} lead={security.lead}>
      <div className="space-y-6">
        {status.data?.recovery ? <RecoveryNotice recovery={status.data.recovery} /> : null}
        <Card className="flex flex-wrap items-center justify-between gap-4">
          <div className="min-w-0 flex-1 basis-72">
            <div className="flex flex-wrap items-center gap-3">
              <CardTitle>{twoFactor.title}</CardTitle>
              {status.data ? (
                <StatusBadge
                  look={
                    status.data.enabled
                      ? { label: twoFactor.badge.on, tone: 'success' }
                      : { label: twoFactor.badge.off, tone: 'neutral', ended: true }
                  }
                />
              ) : null}
            </div>
            <CardLead className="min-h-5">
              {status.data ? (status.data.enabled ? twoFactor.onText : twoFactor.offText) : null}
            </CardLead>
          </div>
          <Link to="/settings/2fa" className={buttonVariants({ variant: 'outline' })}>
            {status.data?.enabled === false ? twoFactor.setUp : security.manage}
          </Link>
        </Card>
        <Password />
        <Sessions />
      </div>
    </Page>
  )
}

/** The password belongs to the identity provider: the link to its page, where this installation has one. */
function Password() {
  const { passwordUrl } = useConfig()
  if (!passwordUrl) return null
  return (
    <Card className="flex flex-wrap items-center justify-between gap-4">
      <div className="min-w-0 flex-1 basis-72">
        <CardTitle>{security.password}</CardTitle>
        <CardLead>{security.passwordLead}</CardLead>
      </div>
      <a
        href={passwordUrl}
        target="_blank"
        rel="noreferrer"
        className={buttonVariants({ variant: 'outline' })}
      >
        {security.changePassword}
        <ExternalLink aria-hidden />
        <span className="sr-only">({common.openInNewTab})</span>
      </a>
    </Card>
  )
}

function Sessions() {
  const client = useQueryClient()
  const sessions = useQuery(sessionsQuery)
  const end = useMutation({
    mutationFn: async (id: string | undefined) =>
      (id === undefined ? await endOtherSessions() : await endOneSession({ path: { id } })).data,
    onSuccess: ({ ended }) =>
      toast({ title: security.ended, description: security.endedMany(Number(ended)) }),
    onError: (error) =>
      toast({
        title: security.endFailed,
        description: messageOf(error, security.endFailed),
        variant: 'destructive',
      }),
    onSettled: () => void client.invalidateQueries({ queryKey: sessionsQuery.queryKey }),
  })
  const others = sessions.data?.some((session) => !session.current) ?? false
  return (
    <Card>
      <div className="flex flex-wrap items-start justify-between gap-4">
        <div>
          <CardTitle>{security.sessions}</CardTitle>
          <CardLead>{security.sessionsLead}</CardLead>
        </div>
        <Button
          variant="outline"
          size="sm"
          disabled={!others || end.isPending}
          onClick={() => end.mutate(undefined)}
        >
          {security.endOthers}
        </Button>
      </div>
      {sessions.error ? (
        <Failed
          title={security.sessionsFailed}
          error={sessions.error}
          retry={() => void sessions.refetch()}
          className="mt-4"
        />
      ) : null}
      {sessions.isPending ? <LoadingRows rows={2} /> : null}
      <ul className="mt-4 divide-y">
        {sessions.data?.map((session) => (
          <SessionRow
            key={session.id}
            session={session}
            pending={end.isPending}
            onEnd={() => end.mutate(session.id)}
          />
        ))}
      </ul>
    </Card>
  )
}

interface SessionRowProps {
  session: ActiveSession
  pending: boolean
  onEnd: () => void
}

function SessionRow({ session, pending, onEnd }: SessionRowProps) {
  const device = security.device(session.browser || security.unknownBrowser, session.system)
  return (
    <li className="flex flex-wrap items-center justify-between gap-3 py-3 last:pb-0">
      <div className="min-w-0 text-sm">
        <p className="font-medium">
          {device}
          {session.current ? (
            <span className="ml-2 inline-block rounded-full bg-success-tint px-2 py-0.5 text-xs text-success-text">
              {security.here}
            </span>
          ) : null}
        </p>
        <p className="mt-1 text-muted-foreground">
          {security.since} <Time at={session.createdAt} /> · {security.lastUsed}{' '}
          <Time at={session.lastSeenAt} />
          {session.ip ? ` · ${security.from} ${session.ip}` : null}
        </p>
      </div>
      {session.current ? null : (
        <Button
          variant="outline"
          size="sm"
          disabled={pending}
          onClick={onEnd}
          aria-label={security.endOf(device)}
        >
          {security.end}
        </Button>
      )}
    </li>
  )
}
