import { Undo2 } from 'lucide-react'
import type { AdminOrderDetail } from '@/api/types.gen'
import { Notice } from '@/components/states/states'
import { Time } from '@/components/status/time'
import { crypto, usd } from '@/lib/format'
import { adminLessCoin as texts } from '@/messages/admin-less-coin'

/** A refund with less coin that the customer has not answered. */
export function WaitingOffer({ order }: { order: AdminOrderDetail }) {
  const offer = order.coinOffers.find(({ status }) => status === 'open')
  if (!offer) return null
  const coin = (amount: string) => `${crypto(amount)} ${order.asset}`
  return (
    <Notice tone="pending" icon={Undo2} title={texts.waits} role="status">
      {texts.waitsText(usd(offer.refund), coin(offer.amountBefore), coin(offer.amountAsset))}{' '}
      <Time at={offer.dueAt} />.
    </Notice>
  )
}
