import { TriangleAlert } from 'lucide-react'
import { useEffect, useState } from 'react'
import { FullAddress } from '@/components/money/full-address'
import { CryptoAmount, Pair, Pairs } from '@/components/money/money'
import { Notice } from '@/components/states/states'
import { Button } from '@/components/ui/button'
import { Dialog, DialogActions, DialogContent } from '@/components/ui/dialog'
import { countdown, usd } from '@/lib/format'
import { buy } from '@/messages/buy'
import { methodLabels } from '@/messages/common'
import type { HeldPrice } from './queries'
import { PriceLines } from './summary'
import type { Quote } from './use-quote'

interface ConfirmDialogProps {
  asset: string
  amount: string
  method: string
  address: string
  network: string
  quote: Quote
  pending: boolean
  error: string | undefined
  onConfirm: (price: HeldPrice) => void
  onClose: () => void
}

/** The last look: the whole address in groups of four, its network, the price and how long it holds. */
export function ConfirmDialog({
  asset,
  amount,
  method,
  address,
  network,
  quote,
  pending,
  error,
  onConfirm,
  onClose,
}: ConfirmDialogProps) {
  const [agreed, setAgreed] = useState(quote.price)
  const latest = quote.price
  // The same total under a newer quote needs no second look; a moved one does.
  useEffect(() => {
    if (latest && agreed && latest.total === agreed.total && latest.quoteId !== agreed.quoteId)
      setAgreed(latest)
  }, [latest, agreed])
  if (!agreed) return null
  const moved = latest !== undefined && latest.total !== agreed.total
  const ready = latest !== undefined && !moved && !quote.expired && !pending
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
        <QuoteNotice quote={quote} moved={moved} agreed={agreed} accept={() => setAgreed(latest)} />
        {error ? (
          <Notice tone="danger" icon={TriangleAlert} role="alert" title={buy.orderFailed} className="mt-3">
            {error}
          </Notice>
        ) : null}
        <DialogActions>
          <Button variant="outline" onClick={onClose} disabled={pending}>
            {buy.edit}
          </Button>
          <Button size="lg" disabled={!ready} onClick={() => latest && onConfirm(latest)}>
            {pending ? buy.creating : buy.confirmPay(usd(agreed.total))}
          </Button>
        </DialogActions>
      </DialogContent>
    </Dialog>
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
