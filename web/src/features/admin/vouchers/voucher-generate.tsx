import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import Big from 'big.js'
import { type RefObject, useRef, useState } from 'react'
import { voucherCurrencies } from '@/api/lists.gen'
import type { MadeVoucher, MadeVoucherBatch } from '@/api/types.gen'
import { AmountField } from '@/components/form/amount-field'
import { Copyable } from '@/components/form/copyable'
import { Field } from '@/components/form/field'
import { SendError } from '@/components/form/send-error'
import { Button } from '@/components/ui/button'
import { Card, CardLead } from '@/components/ui/card'
import { Input, Select } from '@/components/ui/input'
import { worthOf } from '@/features/vouchers/queries'
import { cn } from '@/lib/cn'
import { HttpError, idempotencyKey, messageOf } from '@/lib/http'
import { isPositive } from '@/lib/money'
import { toast } from '@/lib/toast'
import { adminVouchers as texts } from '@/messages/admin-vouchers'
import { useSold } from '../shared/book'
import { DecisionDialog } from '../shared/decision-dialog'
import { Fold } from '../shared/fold'
import { useAct } from '../shared/use-act'
import { generate, generateBatch } from './queries'
import { VoucherExport } from './voucher-export'

const amounts = ['25', '50', '100'] as const
const MOST = 100

/** specification §2's voucher management card. One voucher is one call with its code; more are one call for all. */
export function VoucherGenerate() {
  const offered = voucherCurrencies.filter(useSold())
  const [choice, setChoice] = useState<string>('25')
  const [custom, setCustom] = useState('')
  const [currency, setCurrency] = useState<string>('USD')
  const [quantity, setQuantity] = useState('1')
  const [made, setMade] = useState<MadeVoucher>()
  const [batch, setBatch] = useState<MadeVoucherBatch>()
  const [asking, setAsking] = useState(false)
  const [mistakes, setMistakes] = useState<{ amount?: string; quantity?: string }>({})
  const key = useRef(idempotencyKey())
  const amount = choice === 'custom' ? custom : choice
  const wanted = Number(quantity)
  const one = useOne(amount, currency, key, setMade, setMistakes)

  const changed = () => {
    if (made || batch || one.isPending) key.current = idempotencyKey()
    setMistakes({})
    one.reset()
    setMade(undefined)
    setBatch(undefined)
  }
  const submit = () => {
    if (one.isPending) return
    const wrong = {
      ...(isPositive(amount) ? {} : { amount: texts.badAmount }),
      ...(/^\d+$/.test(quantity) && wanted >= 1 && wanted <= MOST ? {} : { quantity: texts.badQuantity }),
    }
    setMistakes(wrong)
    const first = wrong.quantity ?? wrong.amount
    if (first) toast({ title: texts.failed, description: first, variant: 'destructive' })
    else if (wanted === 1) one.mutate()
    else setAsking(true)
  }
  return (
    <Card className="my-4 max-md:py-1 md:my-5">
      <Fold title={texts.generateTitle}>
        <CardLead>{texts.generateLead}</CardLead>
        <form
          noValidate
          className={cn(
            'mt-4 grid items-start gap-4',
            choice === 'custom' ? 'sm:grid-cols-2 xl:grid-cols-4' : 'sm:grid-cols-3',
          )}
          onSubmit={(event) => {
            event.preventDefault()
            submit()
          }}
        >
          <Field
            id="voucher-amount"
            label={texts.amount}
            error={choice === 'custom' ? undefined : mistakes.amount}
          >
            {(props) => (
              <Select
                {...props}
                value={choice}
                onChange={(event) => {
                  changed()
                  setChoice(event.target.value)
                }}
              >
                {amounts.map((value) => (
                  <option key={value}>{value}</option>
                ))}
                <option value="custom">{texts.custom}</option>
              </Select>
            )}
          </Field>
          {choice === 'custom' ? (
            <AmountField
              id="voucher-custom"
              label={texts.customAmount}
              error={mistakes.amount}
              unit={currency}
              decimals={currency === 'USD' ? 2 : undefined}
              positive
              value={custom}
              onChange={(value) => {
                changed()
                setCustom(value)
              }}
            />
          ) : null}
          <Field id="voucher-currency" label={texts.currency}>
            {(props) => (
              <Select
                {...props}
                value={currency}
                onChange={(event) => {
                  changed()
                  setCurrency(event.target.value)
                }}
              >
                {offered.map((value) => (
                  <option key={value}>{value}</option>
                ))}
              </Select>
            )}
          </Field>
          <Field id="voucher-quantity" label={texts.quantity} error={mistakes.quantity}>
            {(props) => (
              <Input
                {...props}
                inputMode="numeric"
                value={quantity}
                onChange={(event) => {
                  changed()
                  setQuantity(event.target.value)
                }}
              />
            )}
          </Field>
          <SendError
            money
            error={mistakes.amount ? undefined : one.error}
            fallback={texts.failed}
            className="col-span-full"
          />
          <div className="col-span-full flex flex-wrap gap-3">
            <Button type="submit" disabled={one.isPending}>
              {one.isPending ? texts.generating : texts.generate}
            </Button>
            <VoucherExport />
          </div>
        </form>
        {made ? <Made voucher={made} /> : null}
        {batch ? <MadeTogether batch={batch} /> : null}
      </Fold>
      {asking ? (
        <ConfirmBatch
          amount={amount}
          currency={currency}
          quantity={wanted}
          intent={key.current}
          onMade={(now) => {
            key.current = idempotencyKey()
            setBatch(now)
          }}
          onClose={() => setAsking(false)}
        />
      ) : null}
    </Card>
  )
}

const changes = [['admin-vouchers'], ['admin-stats']]

/** Generates one voucher, and shows its code in the toast. */
function useOne(
  amount: string,
  currency: string,
  key: RefObject<string>,
  onMade: (made: MadeVoucher) => void,
  onMistakes: (mistakes: { amount?: string }) => void,
) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => generate(amount, currency, key.current),
    onSuccess: (made) => {
      key.current = idempotencyKey()
      onMade(made)
      toast({ title: texts.generated(made.code) })
    },
    onError: (error) => {
      const said = messageOf(error, '') // The title says it already.
      if (error instanceof HttpError && error.status === 422 && error.body?.field === 'amount')
        onMistakes({ amount: said })
      toast({ title: texts.failed, description: said, variant: 'destructive' })
    },
    onSettled: () => {
      for (const queryKey of changes) void client.invalidateQueries({ queryKey })
    },
  })
}

interface ConfirmBatchProps {
  amount: string
  currency: string
  quantity: number
  intent: string
  onMade: (batch: MadeVoucherBatch) => void
  onClose: () => void
}

/** Repeats the total, and asks for the purpose that the approver and the audit log see. */
function ConfirmBatch({ amount, currency, quantity, intent, onMade, onClose }: ConfirmBatchProps) {
  const act = useAct((purpose) => generateBatch({ amount, currency, quantity, purpose }, intent), {
    said: (batch) => ({ title: texts.generatedMany(batch.quantity) }),
    failed: texts.failed,
    failedText: texts.failedText,
    toastsRefusal: true,
    changes,
    onDone: (batch) => {
      onMade(batch)
      onClose()
    },
  })
  const total = worthOf({ amount: new Big(amount).times(quantity).toFixed(), currency })
  return (
    <DecisionDialog
      title={texts.confirmTitle(quantity)}
      text={texts.confirmText(quantity, worthOf({ amount, currency }), total)}
      confirm={texts.confirm(quantity, total)}
      reason={{ label: texts.purpose, placeholder: texts.purposePlaceholder }}
      decision={act}
      onClose={onClose}
    />
  )
}

function Made({ voucher }: { voucher: MadeVoucher }) {
  return (
    <section aria-label={texts.made} className="mt-4 border-t pt-4">
      <h3 className="text-sm font-medium">{texts.made}</h3>
      {voucher.status === 'awaiting_approval' ? <NeedsApproval /> : null}
      <ul className="mt-2 grid gap-x-6 gap-y-1 text-sm lg:grid-cols-2">
        <li className="flex flex-wrap items-center justify-between gap-2">
          <Copyable text={voucher.code} what={voucher.reference} />
          <span className="tabular-nums">{worthOf(voucher)}</span>
        </li>
      </ul>
    </section>
  )
}

/** A batch that was made: where it is, and where its codes are. */
function MadeTogether({ batch }: { batch: MadeVoucherBatch }) {
  return (
    <section aria-label={texts.made} className="mt-4 space-y-2 border-t pt-4 text-sm">
      <h3 className="font-medium">{texts.made}</h3>
      {batch.status === 'awaiting_approval' ? <NeedsApproval /> : null}
      <p>
        <Link
          to="/admin/vouchers/batches/$id"
          params={{ id: batch.id }}
          className="rounded-sm font-medium underline underline-offset-4"
        >
          {texts.batchOf(batch.quantity, worthOf(batch))}
        </Link>{' '}
        {texts.codesInExport}
      </p>
      {batch.status === 'active' ? <VoucherExport batch={batch.id} /> : null}
    </section>
  )
}

function NeedsApproval() {
  return <p className="mt-1 text-sm text-pending-text">{texts.needsApproval}</p>
}
