import { Link } from '@tanstack/react-router'
import { Info, TriangleAlert } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { Order } from '@/api/types.gen'
import { isUnanswered, outcomeOf } from '@/components/form/send-error'
import { FullAddress } from '@/components/money/full-address'
import { CryptoAmount, Pair, Pairs } from '@/components/money/money'
import { Notice } from '@/components/states/states'
import { Button } from '@/components/ui/button'
import { Dialog, DialogActions, DialogContent } from '@/components/ui/dialog'
import { useNow } from '@/lib/clock'
import { ago, countdown, usd } from '@/lib/format'
import { buy } from '@/messages/buy'
import { methodLabels } from '@/messages/common'
import { form } from '@/messages/form'
import type { HeldPrice } from './queries'
import { PriceLines } from './summary'
import type { usePurchase } from './use-purchase'
import type { Quote } from './use-quote'
import { useTwin } from './use-twin'

interface ConfirmDialogProps {
  asset: string
  amount: string
  method: string
  address: string
  network: string
  quote: Quote
  sent: Pick<ReturnType<typeof usePurchase>, 'isPending' | 'isSuccess' | 'error'>
  onConfirm: (price: HeldPrice) => void
  onClose: () => void
}

/** The confirmation: the whole address in groups of four, its network, the price and how long it holds. */
export function ConfirmDialog({
  asset,
  amount,
  method,
  address,
  network,
  quote,
  sent,
  onConfirm,
  onClose,
}: ConfirmDialogProps) {
  const pending = sent.isPending
  const twin = useTwin({ asset, amountAsset: amount, destAddress: address, paymentMethod: method }, sent)
  const [agreed, setAgreed] = useState(quote.price)
  const latest = quote.price
  // The same total under a newer quote needs no second confirmation; a changed one does.
  useEffect(() => {
    if (latest && agreed && latest.total === agreed.total && latest.quoteId !== agreed.quoteId)
      setAgreed(latest)
  }, [latest, agreed])
  if (!agreed) return null
  const moved = latest !== undefined && latest.total !== agreed.total
  const ready = latest !== undefined && !moved && !quote.expired && !pending && twin.known
  return (
    <Dialog open onOpenChange={(open) => (open || pending ? undefined : onClose())}>
      <DialogContent title={buy.confirmTitle} onInteractOutside={(event) => event.preventDefault()}>
        <p className="text-2xl font-semibold tabular-nums">
          <CryptoAmount amount={amount} asset={asset} />
        </p>
        <p className="mt-3 text-sm text-muted-foreground">{buy.confirmAddress}</p>
        <FullAddress address={address} network={network} />
        <p className="mt-2 flex items-start gap-2 text-sm text-pending-text">
          <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
          {buy.confirmWarning}
        </p>
        <Pairs className="mt-4 border-t pt-4">
          <Pair name={buy.rows.method}>{methodLabels[method] ?? method}</Pair>
          <PriceLines price={moved && latest ? latest : agreed} />
        </Pairs>
        <p className="mt-1 text-xs text-muted-foreground">{buy.networkFeeIncluded}</p>
        <p className="mt-3 text-sm text-muted-foreground">{nextOf(method)}</p>
        <QuoteNotice quote={quote} moved={moved} agreed={agreed} accept={() => setAgreed(latest)} />
        {twin.order ? <TwinNotice order={twin.order} /> : null}
        {sent.error ? <Refusal error={sent.error} /> : null}
        <DialogActions>
          <Button variant="outline" size="lg" onClick={onClose} disabled={pending}>
            {buy.edit}
          </Button>
          <Button size="lg" disabled={!ready} onClick={() => latest && onConfirm(latest)}>
            {pending ? buy.creating : verbOf(method, twin.another)(usd(agreed.total))}
          </Button>
        </DialogActions>
      </DialogContent>
    </Dialog>
  )
}

/** Money moves at once by card and from the balance; all else is paid after the order is placed. */
function verbOf(method: string, another: boolean): (total: string) => string {
  if (another) return buy.confirmAnother
  return method === 'card' || method === 'balance' ? buy.confirmPay : buy.confirmOrder
}

function nextOf(method: string): string {
  return method === 'card' ? buy.nextCard : method === 'balance' ? buy.nextBalance : buy.nextTransfer
}

/** Why there is no order, or that its outcome is unknown. */
function Refusal({ error }: { error: Error }) {
  const said = outcomeOf(error, buy.orderFailed, buy.orderFailedText)
  const lost = isUnanswered(error)
  return (
    <Notice
      tone={lost ? 'pending' : 'danger'}
      icon={TriangleAlert}
      role="alert"
      title={said.title}
      className="mt-3"
    >
      {said.text}{' '}
      {lost ? (
        <Link to="/orders" className="font-semibold underline underline-offset-4">
          {form.lookUp}
        </Link>
      ) : null}
    </Notice>
  )
}

function TwinNotice({ order }: { order: Order }) {
  return (
    <Notice tone="info" icon={Info} role="status" title={buy.twinTitle} className="mt-3">
      {buy.twinText(ago(order.createdAt, useNow(1000)))}{' '}
      <Link to="/orders/$id" params={{ id: order.id }} className="font-semibold underline underline-offset-4">
        {buy.twinSee}
      </Link>
    </Notice>
  )
}

interface QuoteNoticeProps {
  quote: Quote
  moved: boolean
  agreed: HeldPrice
  accept: () => void
}

function QuoteNotice({ quote, moved, agreed, accept }: QuoteNoticeProps) {
  if (quote.expired || quote.error) {
    return (
      <Notice tone="pending" icon={TriangleAlert} role="alert" title={buy.quoteExpired} className="mt-3">
        <Button variant="outline" size="sm" className="mt-2" onClick={quote.renew}>
          {buy.quoteRenew}
        </Button>
      </Notice>
    )
  }
  if (moved && quote.price) {
    return (
      <Notice
        tone="pending"
        icon={TriangleAlert}
        role="alert"
        title={buy.priceMoved(usd(agreed.total), usd(quote.price.total))}
        className="mt-3"
      >
        <Button variant="outline" size="sm" className="mt-2" onClick={accept}>
          {buy.acceptPrice}
        </Button>
      </Notice>
    )
  }
  return (
    <p className="mt-3 text-sm text-muted-foreground tabular-nums">
      {quote.price ? buy.quoteHeld(countdown(quote.secondsLeft)) : buy.quoteRenewing}
    </p>
  )
}
