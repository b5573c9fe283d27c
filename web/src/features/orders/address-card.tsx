import { useMutation, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { nameAddress } from '@/api/sdk.gen'
import type { OrderDetail } from '@/api/types.gen'
import { ConfirmDialog } from '@/components/form/confirm-dialog'
import { Button } from '@/components/ui/button'
import { StepUpCancelled, useStepUp, withCode } from '@/features/two-factor/step-up'
import { crypto } from '@/lib/format'
import { HttpError, messageOf } from '@/lib/http'
import { useConfig } from '@/lib/session'
import { toast } from '@/lib/toast'
import { common, networkNames } from '@/messages/common'
import { amendTexts as texts } from '@/messages/situations'
import { useMailedLink } from '../confirm/mailed-link'
import { GroupedAddress } from './grouped-address'

/** With the checks of every network it is more than the page needs at once. */
const AddressField = lazy(async () => ({ default: (await import('../buy/address-field')).AddressField }))

/** Another address for coin that could not be sent: the checks of a new order, the whole address, a fresh code or a mailed link. */
export function AddressCard({ order }: { order: OrderDetail }) {
  const [address, setAddress] = useState('')
  const { mode } = useConfig()
  const [touched, setTouched] = useState(false)
  const [confirming, setConfirming] = useState(false)
  const refusedBefore = address.trim() === order.destAddress
  const amending = useAmendment(order, () => setConfirming(false))
  const coin = `${crypto(order.amountAsset)} ${order.asset}`
  const network = networkNames[order.network] ?? order.network
  const refusal = amending.refusal
  return (
    <form
      className="mt-6 border-t pt-5"
      onSubmit={(event) => {
        event.preventDefault()
        setTouched(true)
        if (refusedBefore) return
        void looksRight(order, address, mode).then((right) => setConfirming(right))
      }}
    >
      <h3 className="text-base">{texts.title}</h3>
      <p className="mt-1 mb-4 text-sm text-muted-foreground">{texts.lead(coin, network)}</p>
      <Suspense fallback={<div className="h-24" />}>
        <AddressField
          asset={order.asset}
          amount={order.amountAsset}
          network={order.network}
          value={address}
          onChange={(value) => {
            setAddress(value)
            amending.reset()
          }}
          error={refusedBefore ? texts.refused : refusal}
          touched={touched}
          onBlur={() => setTouched(true)}
        />
      </Suspense>
      <Button type="submit" className="mt-4" disabled={!address.trim() || amending.pending}>
        {amending.pending ? texts.sending : texts.submit}
      </Button>
      {confirming ? (
        <ConfirmDialog
          title={texts.confirmTitle}
          text={texts.confirmText(coin, network)}
          confirm={texts.confirm}
          working={texts.sending}
          keep={common.cancel}
          pending={amending.pending}
          error={undefined}
          onConfirm={() => {
            setConfirming(false)
            amending.send(address.trim())
          }}
          onClose={() => setConfirming(false)}
        >
          <GroupedAddress address={address.trim()} />
        </ConfirmDialog>
      ) : null}
      {amending.codeDialog}
    </form>
  )
}

function useAmendment(order: OrderDetail, onDone: () => void) {
  const client = useQueryClient()
  const { run, dialog } = useStepUp()
  const { drop } = useMailedLink('address', order.id)
  const sending = useMutation({
    mutationFn: (address: string) =>
      run(async (code) => {
        const answer = await nameAddress({
          path: { id: order.id },
          body: { destAddress: address },
          ...withCode(code),
        })
        return answer.data
      }),
    onSuccess: (answer) => {
      drop() // of a link before
      if (answer?.state === 'mailed') toast({ title: texts.held, description: answer.message })
      else toast({ title: texts.done, description: texts.doneText })
      onDone()
    },
    onError: (error) => {
      if (error instanceof StepUpCancelled || isField(error)) return
      toast({ title: texts.failed, description: messageOf(error, texts.failedText), variant: 'destructive' })
    },
    onSettled: () => {
      for (const key of ['order', 'orders']) void client.invalidateQueries({ queryKey: [key] })
    },
  })
  return {
    pending: sending.isPending,
    refusal: isField(sending.error) ? messageOf(sending.error, texts.failedText) : undefined,
    send: (address: string) => sending.mutate(address),
    reset: sending.reset,
    codeDialog: dialog,
  }
}

async function looksRight({ asset, network }: OrderDetail, address: string, mode: string): Promise<boolean> {
  const { checkAddress, onNetwork, sendingOf } = await import('../buy/address')
  return (
    address.trim() !== '' && checkAddress(asset, address, onNetwork(sendingOf({ mode }), asset, network)).ok
  )
}

/** The server refuses the address itself. */
function isField(error: unknown): boolean {
  return error instanceof HttpError && error.body?.field === 'destAddress'
}
