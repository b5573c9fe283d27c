import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Gift } from 'lucide-react'
import { useState } from 'react'
import type { GiftCardDetail, GiftCardOffer } from '@/api/types.gen'
import { ConfirmDialog } from '@/components/form/confirm-dialog'
import { Notice } from '@/components/states/states'
import { Time } from '@/components/status/time'
import { Button } from '@/components/ui/button'
import { usd } from '@/lib/format'
import { messageOf } from '@/lib/http'
import { toast } from '@/lib/toast'
import { giftCards as texts } from '@/messages/gift-cards'
import { type OfferAnswer, offerAnswers } from './queries'

interface OfferProps {
  card: GiftCardDetail
  offer: GiftCardOffer
}

/** Our counter-offer for a card that is worth less than its customer entered: they accept it or decline. */
export function Offer({ card, offer }: OfferProps) {
  const client = useQueryClient()
  const [open, setOpen] = useState<OfferAnswer>()
  const words = texts.offer
  const pays = usd(offer.payout)
  const answering = useMutation({
    mutationFn: (answer: OfferAnswer) => offerAnswers[answer](card.id),
    onSuccess: (outcome, answer) => {
      toast({ title: outcome.state === 'working' ? words.underWay : words[answer].done })
      setOpen(undefined)
    },
    onSettled: () => {
      for (const queryKey of [['gift-card'], ['gift-cards'], ['balance'], ['user']])
        void client.invalidateQueries({ queryKey })
    },
  })
  return (
    <Notice tone="pending" icon={Gift} role="status" title={texts.offeredTitle}>
      <p>{texts.offeredText(usd(offer.value), pays)}</p>
      <p className="mt-1">
        {texts.offeredUntil} <Time at={offer.until} />.
      </p>
      <div className="mt-3 flex flex-wrap gap-2">
        <Button size="sm" onClick={() => setOpen('accept')}>
          {words.accept.button(pays)}
        </Button>
        <Button variant="outline" size="sm" onClick={() => setOpen('decline')}>
          {words.decline.button(pays)}
        </Button>
      </div>
      {open ? (
        <ConfirmDialog
          title={words[open].title}
          text={words[open].text(pays)}
          confirm={words[open].button(pays)}
          working={words.working}
          keep={words.keep}
          destructive={open === 'decline'}
          pending={answering.isPending}
          error={
            answering.error
              ? { title: words.failed, text: messageOf(answering.error, words.failedText) }
              : undefined
          }
          onConfirm={() => answering.mutate(open)}
          onClose={() => setOpen(undefined)}
        />
      ) : null}
    </Notice>
  )
}
