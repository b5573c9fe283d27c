import { useQuery, useQueryClient } from '@tanstack/react-query'
import { ArrowLeftRight, CircleAlert, LoaderCircle, Timer } from 'lucide-react'
import { useState } from 'react'
import type { OrderDetail } from '@/api/types.gen'
import { Failed, Notice } from '@/components/states/states'
import { Button } from '@/components/ui/button'
import { Dialog, DialogActions, DialogContent } from '@/components/ui/dialog'
import { useNow } from '@/lib/clock'
import { countdown, crypto, usd } from '@/lib/format'
import { messageOf } from '@/lib/http'
import { compare } from '@/lib/money'
import { buy } from '@/messages/buy'
import { choiceTexts } from '@/messages/situations'
import { type HeldRequote, newPriceIn, readRequote } from './choices'
import { useChoice } from './use-choice'

const texts = choiceTexts.requote

/**
 * Today's price beside the order's; it expires like every other, and a new one is shown before it is
 * accepted.
 */
export function RequoteDialog({ order, onClose }: { order: OrderDetail; onClose: () => void }) {
  const [moved, setMoved] = useState(false)
  const client = useQueryClient()
  const queryKey = ['order', order.id, 'requote']
  const query = useQuery({
    queryKey,
    queryFn: ({ signal }) => readRequote(order, signal),
    staleTime: 0,
    gcTime: 0,
  })
  const accept = useChoice(order, 'requote', onClose)
  const now = useNow(500)
  const quote = query.data
  const left = quote ? Math.max(0, Math.ceil((quote.endsAt - now) / 1000)) : 0
  const refused = accept.error !== null && newPriceIn(accept.error) === undefined
  const renew = () => {
    accept.reset()
    void query.refetch()
  }
  const take = (price: HeldRequote) =>
    accept.mutate(price.quoteId, {
      onError: (error) => {
        const instead = newPriceIn(error)
        if (!instead) return
        setMoved(true)
        client.setQueryData(queryKey, instead)
      },
    })
  return (
    <Dialog open onOpenChange={(open) => (open || accept.isPending ? undefined : onClose())}>
      <DialogContent title={texts.confirmTitle} description={texts.confirmText(order.reference)}>
        {query.error ? <Failed title={texts.failedTitle} error={query.error} retry={renew} /> : null}
        {query.isPending ? (
          <p role="status" className="flex items-center gap-2 text-sm text-muted-foreground">
            <LoaderCircle aria-hidden className="size-4 animate-spin" />
            {texts.loading}
          </p>
        ) : null}
        {quote && !query.error ? (
          <>
            {moved ? (
              <Notice
                tone="pending"
                icon={ArrowLeftRight}
                role="status"
                title={texts.moved}
                className="mb-4"
              />
            ) : null}
            <Comparison order={order} quote={quote} />
            <p className="mt-3 flex items-center gap-1.5 text-sm text-muted-foreground tabular-nums">
              <Timer aria-hidden className="size-4" />
              {left > 0 ? buy.quoteHeld(countdown(left)) : texts.ranOut}
            </p>
          </>
        ) : null}
        {refused ? (
          <Notice tone="danger" icon={CircleAlert} role="alert" title={choiceTexts.failed} className="mt-4">
            {messageOf(accept.error, choiceTexts.failedText)}
          </Notice>
        ) : null}
        <DialogActions>
          <Button variant="outline" onClick={onClose} disabled={accept.isPending}>
            {choiceTexts.back}
          </Button>
          {quote && left === 0 ? (
            <Button onClick={renew} disabled={query.isFetching}>
              {texts.button}
            </Button>
          ) : (
            <Button
              disabled={!quote || query.isFetching || accept.isPending}
              onClick={() => quote && take(quote)}
            >
              {accept.isPending
                ? choiceTexts.working
                : texts.confirm(quote ? `${crypto(quote.amountAsset)} ${quote.asset}` : '')}
            </Button>
          )}
        </DialogActions>
      </DialogContent>
    </Dialog>
  )
}

/** Ordered and now, side by side: the amount first, since that is what changes. */
function Comparison({ order, quote }: { order: OrderDetail; quote: HeldRequote }) {
  const rows: [string, string, string][] = [
    [
      texts.amount,
      `${crypto(order.amountAsset)} ${order.asset}`,
      `${crypto(quote.amountAsset)} ${quote.asset}`,
    ],
    [texts.unitPrice(order.asset), usd(order.unitPrice), usd(quote.unitPrice)],
    [texts.total, usd(order.total), usd(quote.total)],
  ]
  return (
    <>
      <table className="w-full text-sm">
        <thead>
          <tr className="border-b text-muted-foreground">
            <td />
            <th scope="col" className="py-2 text-right font-medium">
              {texts.ordered}
            </th>
            <th scope="col" className="py-2 text-right font-medium text-foreground">
              {texts.now}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, before, after]) => (
            <tr key={name} className="border-b last:border-0">
              <th scope="row" className="py-2.5 pr-3 text-left font-normal text-muted-foreground">
                {name}
              </th>
              <td className="py-2.5 text-right text-muted-foreground tabular-nums">{before}</td>
              <td className="py-2.5 pl-3 text-right font-semibold tabular-nums">{after}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {compare(quote.credit, '0') > 0 ? (
        <p className="mt-1 flex justify-between gap-4 border-t pt-2.5 text-sm">
          <span className="text-muted-foreground">{texts.credit}</span>
          <span className="font-semibold tabular-nums">{usd(quote.credit)}</span>
        </p>
      ) : null}
    </>
  )
}
