import { useMutation, useQueryClient } from '@tanstack/react-query'
import { CircleAlert, Mail } from 'lucide-react'
import { useState } from 'react'
import { confirmAddress } from '@/api/sdk.gen'
import type { OrderDetail } from '@/api/types.gen'
import { ConfirmDialog } from '@/components/form/confirm-dialog'
import { outcomeOf } from '@/components/form/send-error'
import { Notice } from '@/components/states/states'
import { Time } from '@/components/status/time'
import { Button } from '@/components/ui/button'
import { crypto } from '@/lib/format'
import { toast } from '@/lib/toast'
import { common, networkNames } from '@/messages/common'
import { amendTexts as texts } from '@/messages/situations'
import { useAddressLink } from './address-link'
import { GroupedAddress } from './grouped-address'

/** An address that waits for its mailed link; who came by the link confirms it here. */
export function HeldAddress({ order }: { order: OrderDetail }) {
  const { token, drop } = useAddressLink(order.id)
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
      {token ? <Confirm order={order} address={held.address} token={token} onDone={drop} /> : null}
    </Notice>
  )
}

interface ConfirmProps {
  order: OrderDetail
  address: string
  token: string
  onDone: () => void
}

function Confirm({ order, address, token, onDone }: ConfirmProps) {
  const client = useQueryClient()
  const [asking, setAsking] = useState(false)
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
      <Button className="mt-3" onClick={() => setAsking(true)}>
        {texts.confirm}
      </Button>
      {asking ? (
        <ConfirmDialog
          title={texts.confirmTitle}
          text={texts.confirmText(coin, networkNames[order.network] ?? order.network)}
          confirm={texts.confirm}
          working={texts.sending}
          keep={common.cancel}
          pending={confirming.isPending}
          error={confirming.error ? outcomeOf(confirming.error, texts.failed, texts.failedText) : undefined}
          onConfirm={() => confirming.mutate()}
          onClose={() => setAsking(false)}
        >
          <GroupedAddress address={address} />
        </ConfirmDialog>
      ) : null}
    </>
  )
}
