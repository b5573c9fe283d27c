import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { voucherCurrencies } from '@/api/lists.gen'
import type { MadeVoucher } from '@/api/types.gen'
import { AmountField } from '@/components/form/amount-field'
import { Copyable } from '@/components/form/copyable'
import { Field } from '@/components/form/field'
import { SendError } from '@/components/form/send-error'
import { Button } from '@/components/ui/button'
import { Card, CardLead } from '@/components/ui/card'
import { Input, Select } from '@/components/ui/input'
import { worthOf } from '@/features/vouchers/queries'
import { cn } from '@/lib/cn'
import { HttpError, messageOf } from '@/lib/http'
import { isPositive } from '@/lib/money'
import { toast } from '@/lib/toast'
import { adminVouchers as texts } from '@/messages/admin-vouchers'
import { useSold } from '../shared/book'
import { Fold } from '../shared/fold'
import { generate } from './queries'
import { VoucherExport } from './voucher-export'

const amounts = ['25', '50', '100'] as const
const MOST = 100

/** Where the form shows what the server refuses: what is wrong with a batch is how many there are to be. */
const places: Record<string, 'amount' | 'quantity'> = { amount: 'amount', batchId: 'quantity' }

/** specification §2's voucher management card: one call a voucher, so a batch that broke off is resumed where it did. */
export function VoucherGenerate() {
  const offered = voucherCurrencies.filter(useSold())
  const client = useQueryClient()
  const [choice, setChoice] = useState<string>('25')
  const [custom, setCustom] = useState('')
  const [currency, setCurrency] = useState<string>('USD')
  const [quantity, setQuantity] = useState('1')
  const [made, setMade] = useState<readonly MadeVoucher[]>([])
  const [busy, setBusy] = useState(false)
  const [mistakes, setMistakes] = useState<{ amount?: string; quantity?: string }>({})
  const [refusal, setRefusal] = useState<unknown>()
  const batch = useRef(crypto.randomUUID())
  const amount = choice === 'custom' ? custom : choice
  const wanted = Number(quantity)

  const changed = () => {
    if (made.length > 0 || busy) batch.current = crypto.randomUUID()
    setMistakes({})
    setRefusal(undefined)
    setMade([])
  }
  const run = async () => {
    const done: MadeVoucher[] = []
    setBusy(true)
    setRefusal(undefined)
    try {
      for (let row = 1; row <= wanted; row++) {
        const voucher = await generate(amount, currency, batch.current, row)
        done.push(voucher)
        setMade([...done])
      }
      toast({ title: texts.generated(done.at(-1)?.code ?? '') })
      batch.current = crypto.randomUUID()
    } catch (error) {
      const said = messageOf(error, '') // The title says it already.
      const rest = done.length > 0 ? texts.brokenOff(done.length, wanted) : ''
      const place =
        error instanceof HttpError && error.status === 422 ? places[error.body?.field ?? ''] : undefined
      if (place) setMistakes({ [place]: said })
      else setRefusal(error)
      toast({ title: texts.failed, description: sentences(said, rest), variant: 'destructive' })
    }
    setBusy(false)
    for (const queryKey of [['admin-vouchers'], ['admin-stats']]) void client.invalidateQueries({ queryKey })
  }
  const submit = () => {
    if (busy) return
    const wrong = {
      ...(isPositive(amount) ? {} : { amount: texts.badAmount }),
      ...(/^\d+$/.test(quantity) && wanted >= 1 && wanted <= MOST ? {} : { quantity: texts.badQuantity }),
    }
    setMistakes(wrong)
    const first = wrong.quantity ?? wrong.amount
    if (first) toast({ title: texts.failed, description: first, variant: 'destructive' })
    else void run()
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
          <SendError money error={refusal} fallback={texts.failed} className="col-span-full" />
          <div className="col-span-full flex flex-wrap gap-3">
            <Button type="submit" disabled={busy}>
              {busy ? texts.generating(made.length, wanted) : texts.generate}
            </Button>
            <VoucherExport />
          </div>
        </form>
        <Made vouchers={made} />
      </Fold>
    </Card>
  )
}

/** One after another, each with its full stop, which not all that the server says has. */
function sentences(...texts: string[]): string {
  return texts
    .filter(Boolean)
    .map((text) => (/[.!?…]$/.test(text) ? text : `${text}.`))
    .join(' ')
}

function Made({ vouchers }: { vouchers: readonly MadeVoucher[] }) {
  if (vouchers.length === 0) return null
  return (
    <section aria-label={texts.made} className="mt-4 border-t pt-4">
      <h3 className="text-sm font-medium">{texts.made}</h3>
      {vouchers.some((voucher) => voucher.status === 'awaiting_approval') ? (
        <p className="mt-1 text-sm text-pending-text">{texts.needsApproval}</p>
      ) : null}
      <ul className="mt-2 grid max-h-64 gap-x-6 gap-y-1 overflow-auto text-sm lg:grid-cols-2">
        {vouchers.map((voucher) => (
          <li key={voucher.id} className="flex flex-wrap items-center justify-between gap-2">
            <Copyable text={voucher.code} what={voucher.reference} />
            <span className="tabular-nums">{worthOf(voucher)}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
