import { useMutation, useQueryClient } from '@tanstack/react-query'
import { CircleAlert, Mail } from 'lucide-react'
import { confirmAddress } from '@/api/sdk.gen'
import type { OrderDetail } from '@/api/types.gen'
import { SendError } from '@/components/form/send-error'
import { Notice } from '@/components/states/states'
import { Time } from '@/components/status/time'
import { Button } from '@/components/ui/button'
import { crypto } from '@/lib/format'
import { toast } from '@/lib/toast'
import { networkNames } from '@/messages/common'
import { amendTexts as texts } from '@/messages/situations'
import { useMailedLink } from '../confirm/mailed-link'
import { GroupedAddress } from './grouped-address'

/** An address that waits for its mailed link, and is confirmed here by who came by that link: in one press, the address before their eyes. */
export function HeldAddress({ order }: { order: OrderDetail }) {
  const { token, drop } = useMailedLink('address', order.id)
  const held = order.heldAddress
  if (!held)
    return token ? (
      <Notice tone="pending" icon={CircleAlert} role="status" title={texts.linkGone}>
        {order.choices.includes('amend_address') ? texts.linkGoneText : texts.linkUsedText}
      </Notice>
    ) : null
  return (
    <Notice tone="info" icon={Mail} role="status" title={token ? texts.confirmTitle : texts.held}>
      <GroupedAddress address={held.address} />
      <p className="mt-2">
        {texts.heldText} <Time at={held.expiresAt} />.
      </p>
      {token ? <Confirm order={order} token={token} onDone={drop} /> : null}
    </Notice>
  )
}

interface ConfirmProps {
  order: OrderDetail
  token: string
  onDone: () => void
}

function Confirm({ order, token, onDone }: ConfirmProps) {
  const client = useQueryClient()
  const confirming = useMutation({
    mutationFn: () => confirmAddress({ path: { id: order.id }, body: { token } }),
    onSuccess: () => {
      toast({ title: texts.done, description: texts.doneText })
      onDone()
    },
    onSettled: () => {
      for (const key of ['order', 'orders']) void client.invalidateQueries({ queryKey: [key] })
    },
  })
  const coin = `${crypto(order.amountAsset)} ${order.asset}`
  return (
    <>
      <p className="mt-2">{texts.confirmText(coin, networkNames[order.network] ?? order.network)}</p>
      <Button className="mt-3" disabled={confirming.isPending} onClick={() => confirming.mutate()}>
        {confirming.isPending ? texts.sending : texts.confirm}
      </Button>
      <SendError error={confirming.error} fallback={texts.failedText} money className="mt-3" />
    </>
  )
}
