import { Link } from '@tanstack/react-router'
import type { PendingPayment } from '@/api/types.gen'
import { Copyable } from '@/components/form/copyable'
import { FileTile } from '@/components/form/file-tile'
import { Time } from '@/components/status/time'
import { Dialog, DialogContent } from '@/components/ui/dialog'
import { textLink } from '@/components/ui/text-link'
import { titled, usd } from '@/lib/format'
import { adminPayments as texts } from '@/messages/admin-payments'
import { queue } from '@/messages/admin-queue'
import { methodLabels } from '@/messages/common'
import { calendarDay } from '../shared/calendar-day'
import { Fact, Facts } from '../shared/facts'
import { CustomerLink, RiskScore } from '../shared/queue-cells'
import { PaymentAmount, PaymentBadge } from './payment-standing'

/** specification §2's details: the trade, the card, and the evidence opening in a new tab. */
export function PaymentDetails({ payment, onClose }: { payment: PendingPayment; onClose: () => void }) {
  return (
    <Dialog open onOpenChange={(open) => (open ? undefined : onClose())}>
      <DialogContent title={payment.tradeHash} className="md:max-w-2xl">
        <h3 className="mb-2 text-base">{texts.tradeInfo}</h3>
        <Facts>
          <Fact name={texts.status}>
            <PaymentBadge payment={payment} />
          </Fact>
          <Fact name={texts.customer}>
            <CustomerLink id={payment.customerId} name={payment.customerUsername} country={payment.country} />
          </Fact>
          <Fact name={queue.risk}>
            <RiskScore risk={payment.risk} />
          </Fact>
          <Fact name={texts.amount}>
            <PaymentAmount payment={payment} />
          </Fact>
          <Fact name={texts.method}>{methodLabels[payment.paymentMethod] ?? payment.paymentMethod}</Fact>
          <Fact name={texts.submitted}>
            {payment.customerSubmittedAt ? <Time at={payment.customerSubmittedAt} long /> : texts.notYet}
          </Fact>
          <Fact name={texts.order}>
            <Link to="/admin/orders/$id" params={{ id: payment.orderId }} className={`${textLink} font-mono`}>
              {payment.tradeHash}
            </Link>
          </Fact>
          {payment.stripePaymentIntentId ? (
            <Fact name={queue.intent} wide>
              <Copyable text={payment.stripePaymentIntentId} what={queue.intent} />
            </Fact>
          ) : null}
          {payment.declineReason ? (
            <Fact name={texts.reason} wide>
              {payment.declineReason}
            </Fact>
          ) : null}
          {payment.bankReference ? (
            <Fact name={texts.bankReference}>
              {payment.bankReference} · {usd(payment.receivedAmount)} · {calendarDay(payment.receivedOn)}
            </Fact>
          ) : null}
        </Facts>
        {payment.paymentMethod === 'card' ? (
          <>
            <h3 className="mt-6 mb-2 text-base">{texts.cardInfo}</h3>
            <Facts>
              <Fact name={texts.brand}>{payment.cardBrand ? titled(payment.cardBrand) : queue.noCard}</Fact>
              <Fact name={texts.last4}>{payment.cardLast4 ?? queue.noCard}</Fact>
            </Facts>
          </>
        ) : null}
        <h3 className="mt-6 mb-2 text-base">{texts.evidence}</h3>
        <EvidenceImages payment={payment} />
      </DialogContent>
    </Dialog>
  )
}

function EvidenceImages({ payment }: { payment: PendingPayment }) {
  const { receiptUrl, cardPhotoUrl } = payment.validation
  if (!receiptUrl && !cardPhotoUrl) return <p className="text-sm text-muted-foreground">{texts.noEvidence}</p>
  return (
    <ul className="grid gap-3 sm:grid-cols-2">
      {receiptUrl ? (
        <li>
          <FileTile href={receiptUrl} name={texts.receiptPhoto} />
        </li>
      ) : null}
      {cardPhotoUrl ? (
        <li>
          <FileTile href={cardPhotoUrl} name={texts.cardPhoto} />
        </li>
      ) : null}
    </ul>
  )
}
