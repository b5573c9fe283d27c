import {
  ArrowLeftRight,
  CircleAlert,
  CircleCheck,
  Clock,
  LoaderCircle,
  type LucideIcon,
  RefreshCw,
  Undo2,
} from 'lucide-react'
import { useState } from 'react'
import type { OrderDetail } from '@/api/types.gen'
import { Notice } from '@/components/states/states'
import { Button } from '@/components/ui/button'
import { Dialog, DialogActions, DialogContent } from '@/components/ui/dialog'
import { useNow } from '@/lib/clock'
import { crypto, shortTime, timeLeft, usd } from '@/lib/format'
import { messageOf } from '@/lib/http'
import { remainder } from '@/lib/money'
import { choiceTexts as texts } from '@/messages/situations'
import { type ChoiceKind, offersOf } from './choices'
import { RequoteDialog } from './requote-dialog'
import { refundable, refundPlace } from './situation'
import { useChoice } from './use-choice'

const icons: Record<ChoiceKind, LucideIcon> = {
  keep_trying: RefreshCw,
  refund_now: Undo2,
  requote: ArrowLeftRight,
  keep_order: CircleCheck,
}

const columns = [
  '',
  'mt-3 grid gap-3',
  'mt-3 grid gap-3 sm:grid-cols-2',
  'mt-3 grid gap-3 sm:grid-cols-2 xl:grid-cols-3',
]

function describe(order: OrderDetail, kind: ChoiceKind): string {
  const amount = usd(refundable(order))
  switch (kind) {
    case 'keep_trying':
      return texts.keep_trying.text
    case 'refund_now':
      return texts.refund_now.text(amount, refundPlace(order))
    case 'requote':
      return texts.requote.text(amount)
    case 'keep_order':
      return texts.keep_order.text(
        `${crypto(order.amountAsset)} ${order.asset}`,
        usd(remainder(order.received, order.total)),
      )
  }
}

/** The choices that the order offers, the time there is for them, and what happens without one. */
export function ChoicePanel({ order }: { order: OrderDetail }) {
  const [opened, setOpened] = useState<ChoiceKind>()
  const offers = offersOf(order)
  if (offers.length === 0) return null
  const close = () => setOpened(undefined)
  const busy = Boolean(order.decision)
  return (
    <div className="mt-6 border-t pt-5">
      <h3 className="text-base">{texts.title}</h3>
      <ul className={columns[Math.min(offers.length, 3)]}>
        {offers.map((kind, index) => (
          <Offer
            key={kind}
            kind={kind}
            text={describe(order, kind)}
            order={order}
            primary={index === 0}
            busy={busy}
            onOpen={() => setOpened(kind)}
          />
        ))}
      </ul>
      <Deadline order={order} />
      {opened === 'refund_now' || opened === 'keep_order' ? (
        <ConfirmChoice order={order} kind={opened} onClose={close} />
      ) : null}
      {opened === 'requote' ? <RequoteDialog order={order} onClose={close} /> : null}
    </div>
  )
}

interface OfferProps {
  kind: ChoiceKind
  text: string
  order: OrderDetail
  primary: boolean
  busy: boolean
  onOpen: () => void
}

function Offer({ kind, text, order, primary, busy, onOpen }: OfferProps) {
  const direct = useChoice(order, kind, () => {})
  const Icon = icons[kind]
  const working = busy || direct.isPending
  return (
    <li className="flex flex-col rounded-md border p-4">
      <p className="flex items-center gap-2 text-sm font-semibold">
        <Icon aria-hidden className="size-4 text-muted-foreground" />
        {texts[kind].title}
      </p>
      <p className="mt-1 mb-4 text-sm text-muted-foreground">{text}</p>
      <Button
        variant={primary ? 'default' : 'outline'}
        className="mt-auto w-full"
        disabled={working}
        // To keep trying moves no money and can be changed: it needs no confirmation.
        onClick={() => (kind === 'keep_trying' ? direct.mutate(undefined) : onOpen())}
      >
        {working ? <LoaderCircle aria-hidden className="animate-spin" /> : null}
        {working ? texts.working : texts[kind].button}
      </Button>
    </li>
  )
}

/** The deadline counting down, and the default, shown before it applies. */
function Deadline({ order }: { order: OrderDetail }) {
  const now = useNow(1000)
  const due = order.choice?.dueAt
  if (!due) return null
  const left = new Date(due).getTime() - now
  return (
    <p className="mt-4 flex items-start gap-2 text-sm tabular-nums">
      <Clock aria-hidden className="mt-0.5 size-4 shrink-0 text-muted-foreground" />
      <span>
        <span className="font-medium">
          {left > 0 ? texts.due(shortTime(due), timeLeft(left)) : texts.overdue}
        </span>{' '}
        <span className="text-muted-foreground">
          {texts.fallback(usd(refundable(order)), refundPlace(order))}
        </span>
      </span>
    </p>
  )
}

interface ConfirmProps {
  order: OrderDetail
  kind: 'refund_now' | 'keep_order'
  onClose: () => void
}

/** The confirmation: the amount, and its destination. */
function ConfirmChoice({ order, kind, onClose }: ConfirmProps) {
  const choice = useChoice(order, kind, onClose)
  const amount = usd(refundable(order))
  const coin = `${crypto(order.amountAsset)} ${order.asset}`
  const rest = usd(remainder(order.received, order.total))
  const words =
    kind === 'refund_now'
      ? {
          title: texts.refund_now.confirmTitle,
          text: texts.refund_now.confirmText(amount, refundPlace(order)),
          confirm: texts.refund_now.confirm(amount),
        }
      : {
          title: texts.keep_order.confirmTitle,
          text: texts.keep_order.confirmText(coin, rest),
          confirm: texts.keep_order.confirm,
        }
  return (
    <Dialog open onOpenChange={(open) => (open || choice.isPending ? undefined : onClose())}>
      <DialogContent title={words.title} description={words.text}>
        {kind === 'refund_now' ? (
          <p className="text-sm text-muted-foreground">
            {order.paymentMethod === 'card' ? texts.refund_now.when.card : texts.refund_now.when.balance}
          </p>
        ) : null}
        {choice.error ? (
          <Notice tone="danger" icon={CircleAlert} role="alert" title={texts.failed} className="mt-4">
            {messageOf(choice.error, texts.failedText)}
          </Notice>
        ) : null}
        <DialogActions>
          <Button variant="outline" onClick={onClose} disabled={choice.isPending}>
            {texts.back}
          </Button>
          <Button disabled={choice.isPending} onClick={() => choice.mutate(undefined)}>
            {choice.isPending ? texts.working : words.confirm}
          </Button>
        </DialogActions>
      </DialogContent>
    </Dialog>
  )
}
