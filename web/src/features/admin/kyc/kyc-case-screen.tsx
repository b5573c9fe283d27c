import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import type { AdminKycDetail, KycEvent } from '@/api/types.gen'
import { Story } from '@/components/status/story'
import { Time } from '@/components/status/time'
import { Card, CardTitle } from '@/components/ui/card'
import { day } from '@/lib/format'
import { adminKyc as texts } from '@/messages/admin-kyc'
import { records } from '@/messages/admin-records'
import { allowed, DecisionButtons, keyHints } from '../shared/decision-buttons'
import { Fact, Facts } from '../shared/facts'
import { Outside } from '../shared/outside'
import { QueueWalk, useQueueWork } from '../shared/queue-walk'
import { RecordFrame, RecordHead, Stack, Stacks } from '../shared/record-frame'
import { Records } from '../shared/records'
import { stepTime } from '../shared/step-time'
import { type KycFilter, waitingKyc } from './filters'
import { KycDecision, kycButtons } from './kyc-decision'
import { adminKycListQuery, adminKycQuery, standingLooks } from './queries'

const ProposalNotice = lazy(async () => ({ default: (await import('./kyc-proposal')).ProposalNotice }))

/** One identity with all that staff may see of it, and every button they have. */
export function KycCaseScreen({ id, filter }: { id: string; filter: KycFilter }) {
  return (
    <RecordFrame query={useQuery(adminKycQuery(id))} title={texts.one} failed={texts.fetchFailed}>
      {(one) => <Loaded key={one.id} one={one} filter={filter} />}
    </RecordFrame>
  )
}

function Loaded({ one, filter }: { one: AdminKycDetail; filter: KycFilter }) {
  const work = useQueueWork(useInfiniteQuery(adminKycListQuery(filter)), one.id, '/admin/kyc', filter)
  const awaited = allowed(kycButtons, one.actions)
  return (
    <>
      <RecordHead
        title={one.customerName || one.customerEmail}
        lead={one.customerEmail}
        look={standingLooks[one.standing]}
        list={{ to: '/admin/kyc', title: texts.title, search: filter }}
      />
      <div className="space-y-6">
        <QueueWalk work={work} others={keyHints(awaited)}>
          <DecisionButtons
            underWay={Boolean(one.decision)}
            buttons={awaited}
            dialog={(action, close) => (
              <KycDecision
                one={one}
                action={action}
                onClose={close}
                onDone={waitingKyc.includes(filter.standing) ? work.onward : undefined}
              />
            )}
          />
        </QueueWalk>
        {one.proposal ? (
          <Suspense fallback={null}>
            <ProposalNotice one={one} proposal={one.proposal} />
          </Suspense>
        ) : null}
        <Stacks>
          <Stack>
            <Card>
              <CardTitle className="mb-4">{texts.facts}</CardTitle>
              <CaseFacts one={one} />
            </Card>
            <Card>
              <CardTitle className="mb-4">{records.story}</CardTitle>
              <Story timeOf={stepTime} events={one.events} tell={told} />
            </Card>
          </Stack>
          <Stack>
            <ProviderCard one={one} />
            <Records decisions={one.decisions} />
          </Stack>
        </Stacks>
      </div>
    </>
  )
}

/** One line of the timeline, with its level and why a level ended. */
function told(event: KycEvent): string {
  const { level, why, outcome } = event.data
  const words = [texts.events[event.kind] ?? event.kind.replaceAll('_', ' ')]
  if (level === 'standard' || level === 'enhanced') words.push(texts.levels[level])
  if (typeof why === 'string' && why in texts.endedBy)
    words.push(texts.endedBy[why as keyof typeof texts.endedBy])
  if (typeof outcome === 'string' && outcome in texts.outcomes)
    words.push(texts.outcomes[outcome as keyof typeof texts.outcomes])
  return words.join(' · ')
}

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
        {one.expiresAt ? <Fact name={texts.expires}>{day(one.expiresAt)}</Fact> : null}
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
        {one.final ? <li>{texts.takesTwo}</li> : null}
      </ul>
      <Outside href={one.workflowUrl} text={records.workflow} />
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
      <Outside href={one.providerUrl} text={texts.provider} />
    </Card>
  )
}
