import { useQuery } from '@tanstack/react-query'
import { Link, notFound } from '@tanstack/react-router'
import { ArrowLeft, ExternalLink } from 'lucide-react'
import { useState } from 'react'
import type { AdminKycDetail, KycEvent } from '@/api/types.gen'
import { PageHead } from '@/components/layout/page'
import { Failed, LoadingRows } from '@/components/states/states'
import { StatusBadge } from '@/components/status/badge'
import { Time } from '@/components/status/time'
import { Button } from '@/components/ui/button'
import { buttonVariants } from '@/components/ui/button-variants'
import { Card, CardTitle } from '@/components/ui/card'
import { HttpError } from '@/lib/http'
import { adminKyc as texts } from '@/messages/admin-kyc'
import { common } from '@/messages/common'
import { Fact, Facts } from './facts'
import { KycDecision } from './kyc-decision'
import { adminKycQuery, type KycAction, standingLooks } from './kyc-queries'

/** One identity with all that staff may see of it, and every button they have. */
export function KycCaseScreen({ id }: { id: string }) {
  const query = useQuery(adminKycQuery(id))
  if (query.error instanceof HttpError && query.error.status === 404) throw notFound()
  if (query.data) return <Loaded one={query.data} />
  return (
    <>
      <PageHead title={texts.one} />
      {query.error ? (
        <Failed title={texts.fetchFailed} error={query.error} retry={() => void query.refetch()} />
      ) : (
        <LoadingRows rows={3} />
      )}
    </>
  )
}

function Loaded({ one }: { one: AdminKycDetail }) {
  return (
    <>
      <PageHead
        title={one.customerName || one.customerEmail}
        lead={one.customerEmail}
        actions={
          <>
            <StatusBadge look={standingLooks[one.standing]} />
            <Link to="/admin/kyc" className={buttonVariants({ variant: 'outline', size: 'sm' })}>
              <ArrowLeft aria-hidden />
              {texts.title}
            </Link>
          </>
        }
      />
      <div className="space-y-6">
        <Actions one={one} />
        <div className="grid items-start gap-6 xl:grid-cols-2">
          <Card>
            <CardTitle className="mb-4">{texts.facts}</CardTitle>
            <CaseFacts one={one} />
          </Card>
          <ProviderCard one={one} />
          <Card>
            <CardTitle className="mb-4">{texts.story}</CardTitle>
            <ol className="space-y-3">
              {one.events.map((event, index) => (
                <li
                  key={event.id}
                  aria-current={index === one.events.length - 1 ? 'step' : undefined}
                  className="flex flex-wrap justify-between gap-x-4 text-sm"
                >
                  <span className="min-w-0 wrap-anywhere">{told(event)}</span>
                  <span className="text-muted-foreground">
                    <Time at={event.at} />
                  </span>
                </li>
              ))}
            </ol>
          </Card>
          <Decisions one={one} />
        </div>
      </div>
    </>
  )
}

/** One line of the story, with the level it is about and why a level ended. */
function told(event: KycEvent): string {
  const { level, why } = event.data
  const words = [texts.events[event.kind] ?? event.kind.replaceAll('_', ' ')]
  if (level === 'standard' || level === 'enhanced') words.push(texts.levels[level])
  if (typeof why === 'string' && why in texts.endedBy)
    words.push(texts.endedBy[why as keyof typeof texts.endedBy])
  return words.join(' · ')
}

const order: readonly KycAction[] = ['approve', 'ask', 'hold', 'release', 'reject', 'revoke']

function Actions({ one }: { one: AdminKycDetail }) {
  const [open, setOpen] = useState<KycAction>()
  if (one.decision) return <p className="text-sm text-muted-foreground">{texts.underWay}</p>
  const shown = order.filter((action) => one.actions.includes(action))
  return (
    <>
      {shown.length > 0 ? (
        <div className="flex flex-wrap gap-2">
          {shown.map((action) => (
            <Button key={action} variant={looks[action]} onClick={() => setOpen(action)}>
              {texts.actions[action].button}
            </Button>
          ))}
        </div>
      ) : null}
      {open ? <KycDecision one={one} action={open} onClose={() => setOpen(undefined)} /> : null}
    </>
  )
}

const looks = {
  approve: 'default',
  ask: 'outline',
  hold: 'outline',
  release: 'outline',
  reject: 'destructive',
  revoke: 'destructive',
} as const

function CaseFacts({ one }: { one: AdminKycDetail }) {
  return (
    <>
      <Facts>
        <Fact name={texts.level}>{texts.levels[one.level]}</Fact>
        <Fact name={texts.reviewLevel}>{texts.levels[one.reviewLevel]}</Fact>
        <Fact name={texts.country}>{one.country || '—'}</Fact>
        <Fact name={texts.canRetry}>{one.canRetry ? texts.yes : texts.no}</Fact>
        <Fact name={texts.began}>
          <Time at={one.createdAt} />
        </Fact>
        {one.expiresAt ? (
          <Fact name={texts.expires}>
            <Time at={one.expiresAt} />
          </Fact>
        ) : null}
        {one.decidedAt ? (
          <Fact name={texts.verdict}>
            <Time at={one.decidedAt} />
          </Fact>
        ) : null}
        {one.ended ? (
          <Fact name={texts.ended} wide>
            {texts.endedBy[one.ended]}
          </Fact>
        ) : null}
      </Facts>
      <ul className="mt-3 space-y-1 text-sm font-medium">
        {one.held ? <li>{texts.held}</li> : null}
        {one.renewing ? <li>{texts.renewing}</li> : null}
        {one.preparing ? <li>{texts.preparing}</li> : null}
      </ul>
      {one.workflowUrl ? <Outside href={one.workflowUrl} text={texts.workflow} /> : null}
    </>
  )
}

function ProviderCard({ one }: { one: AdminKycDetail }) {
  return (
    <Card>
      <CardTitle className="mb-4">{texts.says}</CardTitle>
      <Facts>
        <Fact name={texts.state} wide>
          {one.providerState ? (
            <>
              <code className="text-xs">{one.providerState}</code> · {texts.states[one.providerState] ?? ''}
            </>
          ) : (
            '—'
          )}
        </Fact>
        <Fact name={texts.labels} wide>
          {one.labels.length === 0 ? (
            texts.noLabels
          ) : (
            <ul className="space-y-1">
              {one.labels.map((label) => (
                <li key={label} className="wrap-anywhere">
                  <code className="text-xs">{label}</code>
                  {texts.label[label] ? ` · ${texts.label[label]}` : ''}
                </li>
              ))}
            </ul>
          )}
        </Fact>
        {one.reason ? (
          <Fact name={texts.toCustomer} wide>
            {one.reason}
          </Fact>
        ) : null}
        {one.reviewedAt ? (
          <Fact name={texts.decidedThere}>
            <Time at={one.reviewedAt} />
          </Fact>
        ) : null}
        {one.polledAt ? (
          <Fact name={texts.asked}>
            <Time at={one.polledAt} />
          </Fact>
        ) : null}
      </Facts>
      {one.providerUrl ? <Outside href={one.providerUrl} text={texts.provider} /> : null}
    </Card>
  )
}

function Outside({ href, text }: { href: string; text: string }) {
  return (
    <a
      href={href}
      target="_blank"
      rel="noreferrer"
      className={buttonVariants({ variant: 'link', size: 'sm', className: 'mt-3 px-0' })}
    >
      <ExternalLink aria-hidden />
      {text}
      <span className="sr-only"> ({common.openInNewTab})</span>
    </a>
  )
}

function Decisions({ one }: { one: AdminKycDetail }) {
  return (
    <Card>
      <CardTitle className="mb-3">{texts.decisions}</CardTitle>
      {one.decisions.length === 0 ? (
        <p className="text-sm text-muted-foreground">{texts.noDecisions}</p>
      ) : (
        <ul className="space-y-2 text-sm">
          {one.decisions.map((taken) => (
            <li key={taken.id} className="wrap-anywhere">
              <span className="font-medium">{taken.kind}</span> · {taken.actor} ·{' '}
              <Time at={taken.createdAt} />
              {taken.reason ? ` · ${taken.reason}` : ''}
              {taken.outcome ? ` · ${taken.outcome.replaceAll('_', ' ')}` : ''}
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}
