import { useQuery } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { approveRecovery, refuseRecovery, vouchForRecovery } from '@/api/admin.gen'
import type { AdminRecovery } from '@/api/types.gen'
import { PageHead } from '@/components/layout/page'
import { Failed, LoadingRows, NothingYet } from '@/components/states/states'
import { Time } from '@/components/status/time'
import { Button } from '@/components/ui/button'
import { Card, CardTitle } from '@/components/ui/card'
import { withCode } from '@/features/two-factor/step-up'
import { adminSecurity as texts } from '@/messages/two-factor'
import { DecisionDialog } from './decision-dialog'
import { Fact, Facts } from './facts'
import { recoveriesQuery } from './security-queries'
import { useStepUpAct } from './use-step-up-act'

/** Requests to lift a lost second factor: one admin vouches, another approves. */
export function AdminSecurityScreen() {
  const query = useQuery(recoveriesQuery)
  return (
    <>
      <PageHead title={texts.title} />
      {query.error ? (
        <Failed title={texts.fetchFailed} error={query.error} retry={() => void query.refetch()} />
      ) : null}
      {query.isPending ? <LoadingRows rows={3} /> : null}
      {query.data?.length === 0 ? (
        <NothingYet
          className="rounded-lg border bg-card"
          icon={KeyRound}
          title={texts.empty}
          hint={texts.emptyHint}
        />
      ) : null}
      <div className="space-y-4">
        {query.data?.map((recovery) => (
          <RecoveryCard key={recovery.id} recovery={recovery} />
        ))}
      </div>
    </>
  )
}

function RecoveryCard({ recovery }: { recovery: AdminRecovery }) {
  const [deciding, setDeciding] = useState<string>()
  return (
    <Card>
      <CardTitle>
        {recovery.reference} · {texts.status[recovery.status]}
      </CardTitle>
      <Facts className="mt-4">
        <Fact name={texts.customer}>{recovery.customerName || recovery.customerEmail}</Fact>
        <Fact name={texts.asked}>
          <Time at={recovery.createdAt} />
        </Fact>
        <Fact name={texts.ready}>
          <Time at={recovery.readyAt} />
        </Fact>
        {recovery.vouchedBy ? <Fact name={texts.vouchedBy}>{recovery.vouchedBy}</Fact> : null}
      </Facts>
      <div className="mt-4 flex flex-wrap gap-2">
        {recovery.actions?.map((action) => (
          <Button key={action} variant="outline" size="sm" onClick={() => setDeciding(action)}>
            {texts.actions[action]}
          </Button>
        ))}
      </div>
      {deciding ? (
        <Decide recovery={recovery} action={deciding} onClose={() => setDeciding(undefined)} />
      ) : null}
    </Card>
  )
}

const calls = { vouch: vouchForRecovery, approve: approveRecovery, refuse: refuseRecovery }

interface DecideProps {
  recovery: AdminRecovery
  action: string
  onClose: () => void
}

function Decide({ recovery, action, onClose }: DecideProps) {
  const send = async (reason: string, code?: string) => {
    const input = { path: { id: recovery.id }, body: { reason } }
    if (action === 'refuse') return calls.refuse(input)
    return calls[action === 'approve' ? 'approve' : 'vouch']({ ...input, ...withCode(code) })
  }
  const decide = useStepUpAct(send, {
    asks: action !== 'refuse',
    said: () => ({ title: texts.done }),
    failed: texts.failed,
    failedText: texts.failedText,
    changes: [recoveriesQuery.queryKey],
    onDone: onClose,
  })
  return (
    <DecisionDialog
      title={`${texts.actions[action]}: ${recovery.reference}`}
      text={texts.explain[action] ?? ''}
      confirm={texts.actions[action] ?? ''}
      destructive={action === 'approve'}
      reason={{ label: texts.reason, placeholder: texts.reasonHint }}
      decision={decide}
      onClose={onClose}
    />
  )
}
