import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Ban, CircleCheck, CircleX, Clock, type LucideIcon, ShieldCheck, Undo2 } from 'lucide-react'
import { type ComponentProps, useState } from 'react'
import type { Payout, PayoutDetail } from '@/api/types.gen'
import { ConfirmDialog } from '@/components/form/confirm-dialog'
import { Copyable } from '@/components/form/copyable'
import { RecordPage } from '@/components/layout/page-record'
import { Pair, Pairs, Usd } from '@/components/money/money'
import { Notice } from '@/components/states/states'
import { StatusBadge } from '@/components/status/badge'
import { Time } from '@/components/status/time'
import { Timeline } from '@/components/status/timeline'
import { Button } from '@/components/ui/button'
import { Card, CardTitle } from '@/components/ui/card'
import { day, usd } from '@/lib/format'
import { messageOf } from '@/lib/http'
import { toast } from '@/lib/toast'
import { payouts as texts } from '@/messages/payouts'
import { ConfirmByMail } from '../confirm/confirm-by-mail'
import { HoldNotice } from '../orders/hold-notice'
import { HelpLink } from '../support/help-link'
import { payoutLooks } from './looks'
import { cancel, isOver, payoutQuery } from './queries'
import { arrivesBy, stepsOf } from './steps'

export function PayoutScreen({ id }: { id: string }) {
  return (
    <RecordPage
      query={useQuery(payoutQuery(id))}
      title={(payout) => (payout ? `${texts.one} · ${usd(payout.amount)}` : texts.one)}
      status={(payout) => <StatusBadge look={payoutLooks[payout.status]} />}
      failed={texts.fetchFailed}
      notice={<HoldNotice of="account" className="mb-4" />}
      back={{ to: '/balance', title: texts.back }}
    >
      {(payout) => <Loaded payout={payout} />}
    </RecordPage>
  )
}

function Loaded({ payout }: { payout: PayoutDetail }) {
  return (
    <div className="space-y-6">
      <ConfirmByMail
        id={payout.id}
        of="payout"
        until={payout.confirmBy}
        reads={['payout', 'payouts', 'balance', 'user']}
      />
      <Situation payout={payout} />
      <div className="grid items-start gap-6 lg:grid-cols-2">
        <Facts payout={payout} />
        <Card>
          <CardTitle className="mb-5">{texts.story}</CardTitle>
          <Timeline steps={stepsOf(payout)} />
        </Card>
      </div>
    </div>
  )
}

const marks: Record<Payout['status'], { tone: ComponentProps<typeof Notice>['tone']; icon: LucideIcon }> = {
  unconfirmed: { tone: 'pending', icon: Clock },
  requested: { tone: 'info', icon: Clock },
  approved: { tone: 'info', icon: ShieldCheck },
  paid: { tone: 'success', icon: CircleCheck },
  rejected: { tone: 'danger', icon: CircleX },
  cancelled: { tone: 'info', icon: Ban },
  returned: { tone: 'danger', icon: Undo2 },
}

function Situation({ payout }: { payout: PayoutDetail }) {
  const lapsed = payout.status === 'cancelled' && payout.events.some(({ kind }) => kind === 'unconfirmed')
  const { title, text } = lapsed ? texts.lapsed : texts.situations[payout.status]
  return (
    <Notice {...marks[payout.status]} role="status" title={title}>
      {payout.reason ? (
        <p className="mb-1">
          {texts.reason} {payout.reason}
        </p>
      ) : null}
      {text}{' '}
      {isOver(payout) ? (
        <Link to="/balance" className="font-medium underline underline-offset-4">
          {texts.seeBalance}
        </Link>
      ) : null}
    </Notice>
  )
}

function Facts({ payout }: { payout: PayoutDetail }) {
  return (
    <Card>
      <CardTitle className="mb-4">{texts.facts}</CardTitle>
      <Pairs>
        <Pair name={texts.reference}>
          <Copyable text={payout.reference} what={texts.reference} />
        </Pair>
        <Pair name={texts.toAccount}>{texts.to(payout.accountKind, payout.accountLast4)}</Pair>
        <Pair name={texts.askedAt}>
          <Time at={payout.createdAt} />
        </Pair>
        {payout.paidAt ? (
          <Pair name={texts.paidAt}>
            <Time at={payout.paidAt} />
          </Pair>
        ) : null}
        {payout.status === 'paid' && payout.paidAt ? (
          <Pair name={texts.expected}>{day(arrivesBy(payout.paidAt))}</Pair>
        ) : null}
        {payout.bankReference ? (
          <Pair name={texts.bankReference}>
            <Copyable text={payout.bankReference} what={texts.bankReference} />
          </Pair>
        ) : null}
        <Pair name={texts.fee}>{texts.noFee}</Pair>
        <Pair name={texts.amountPaid} strong>
          <Usd amount={payout.amount} />
        </Pair>
      </Pairs>
      <div className="mt-4 flex flex-wrap items-center gap-x-6 gap-y-4 border-t pt-4">
        {payout.canCancel ? <Cancel payout={payout} /> : null}
        <HelpLink reference={payout.reference} className="px-0" />
      </div>
    </Card>
  )
}

function Cancel({ payout }: { payout: PayoutDetail }) {
  const client = useQueryClient()
  const [open, setOpen] = useState(false)
  const { cancel: words } = texts
  const cancelling = useMutation({
    mutationFn: () => cancel(payout.id),
    onSuccess: (outcome) => {
      toast(
        outcome.state === 'working'
          ? { title: words.underWay }
          : { title: words.done, description: words.doneText },
      )
      setOpen(false)
    },
    onSettled: () => {
      for (const queryKey of [['payout'], ['payouts'], ['balance'], ['user']])
        void client.invalidateQueries({ queryKey })
    },
  })
  return (
    <>
      <Button variant="outline" className="w-full sm:w-auto" onClick={() => setOpen(true)}>
        {words.button}
      </Button>
      {open ? (
        <ConfirmDialog
          title={words.title}
          text={words.text(usd(payout.amount), texts.to(payout.accountKind, payout.accountLast4))}
          confirm={words.button}
          working={words.working}
          keep={words.keep}
          destructive
          pending={cancelling.isPending}
          error={
            cancelling.error
              ? { title: words.failed, text: messageOf(cancelling.error, words.failedText) }
              : undefined
          }
          onConfirm={() => cancelling.mutate()}
          onClose={() => setOpen(false)}
        />
      ) : null}
    </>
  )
}
