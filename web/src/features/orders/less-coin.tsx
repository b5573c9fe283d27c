import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Undo2 } from 'lucide-react'
import { useState } from 'react'
import { agreeToLessCoin, keepAllCoin } from '@/api/sdk.gen'
import type { CoinOffer, OrderDetail } from '@/api/types.gen'
import { ConfirmDialog } from '@/components/form/confirm-dialog'
import { Pair, Pairs } from '@/components/money/money'
import { Notice } from '@/components/states/states'
import { Time } from '@/components/status/time'
import { Button } from '@/components/ui/button'
import { crypto, usd } from '@/lib/format'
import { messageOf } from '@/lib/http'
import { toast } from '@/lib/toast'
import { lessCoin as texts } from '@/messages/less-coin'

const answers = { agree: agreeToLessCoin, decline: keepAllCoin }
type Answer = keyof typeof answers

/** A refund that is offered with less crypto: both amounts, and the customer's two answers. */
export function LessCoin({ order, offer }: { order: OrderDetail; offer: CoinOffer }) {
  const client = useQueryClient()
  const [open, setOpen] = useState<Answer>()
  const answering = useMutation({
    mutationFn: (answer: Answer) => answers[answer]({ path: { id: order.id }, body: { offerId: offer.id } }),
    onSuccess: (_, answer) => {
      toast({ title: texts[answer].done })
      setOpen(undefined)
    },
    onSettled: () => {
      for (const key of ['order', 'orders', 'user', 'balance'])
        void client.invalidateQueries({ queryKey: [key] })
    },
  })
  const before = `${crypto(offer.amountBefore)} ${order.asset}`
  const after = `${crypto(offer.amountAsset)} ${order.asset}`
  const refund = usd(offer.refund)
  return (
    <Notice tone="pending" icon={Undo2} role="status" title={texts.title}>
      <p>{texts.text(refund, offer.destination === 'card' ? texts.toCard : texts.toBalance)}</p>
      <Pairs>
        <Pair name={texts.now}>{before}</Pair>
        <Pair name={texts.after}>{after}</Pair>
        <Pair name={texts.refund}>{refund}</Pair>
      </Pairs>
      <p className="mt-2">
        {texts.until} <Time at={offer.dueAt} />.
      </p>
      <div className="mt-3 flex flex-wrap gap-2">
        <Button size="sm" onClick={() => setOpen('agree')}>
          {texts.agree.button}
        </Button>
        <Button variant="outline" size="sm" onClick={() => setOpen('decline')}>
          {texts.decline.button}
        </Button>
      </div>
      {open ? (
        <ConfirmDialog
          title={texts[open].title}
          text={texts[open].text(open === 'agree' ? after : before, refund)}
          confirm={texts[open].button}
          working={texts.working}
          keep={texts.back}
          pending={answering.isPending}
          error={
            answering.error
              ? { title: texts.failed, text: messageOf(answering.error, texts.failedText) }
              : undefined
          }
          onConfirm={() => answering.mutate(open)}
          onClose={() => setOpen(undefined)}
        />
      ) : null}
    </Notice>
  )
}

/** The part of the total that was refunded with less crypto, under the price lines. */
export function ReducedRow({ reduced }: { reduced: string }) {
  return <Pair name={texts.row}>{usd(reduced)}</Pair>
}
