import { useQuery } from '@tanstack/react-query'
import { ArrowUpDown } from 'lucide-react'
import type { ReactNode } from 'react'
import { AmountField } from '@/components/form/amount-field'
import { Button } from '@/components/ui/button'
import { amountIn, usd } from '@/lib/format'
import { coinWithin, cryptoFor, fiatFor, isPositive } from '@/lib/money'
import { amountDecimals } from '@/lib/offer'
import { useSignedInUser } from '@/lib/session'
import { buy } from '@/messages/buy'
import { ratesQuery } from '../pricing/queries'
import { boundsOf } from './bounds'
import type { BuyDraft } from './draft'
import { limitsQuery } from './queries'

const suggestions = ['100', '250', '500', '1000']

interface PurchaseAmountProps {
  draft: BuyDraft
  error: string | undefined
  onChange: (part: Partial<BuyDraft>) => void
}

/** The amount, in coin or in dollars. Both are shown; what is ordered is coin. */
export function PurchaseAmount({ draft, error, onChange }: PurchaseAmountProps) {
  const { asset, amount, fiat } = draft
  const { data: rates } = useQuery(ratesQuery)
  const rate = isPositive(rates?.[asset] ?? '') ? rates?.[asset] : undefined
  const dollars = fiat !== undefined
  const swap = () => {
    if (dollars) return onChange({ fiat: undefined, amount })
    onChange({ fiat: rate && isPositive(amount) ? fiatFor(amount, rate) : '' })
  }
  return (
    <div className="mt-6">
      <h2 className="mb-3 text-base font-semibold">{buy.stepAmount}</h2>
      <AmountField
        key={dollars ? 'dollars' : asset}
        id="amount"
        label={dollars ? buy.dollarsLabel : buy.amountLabel(asset)}
        hint={<Hint {...{ draft, rate }} />}
        error={error}
        unit={dollars ? 'USD' : asset}
        decimals={dollars ? 2 : amountDecimals[asset]}
        positive
        step={dollars ? '0.01' : '0.00000001'}
        min="0"
        placeholder={dollars ? '100.00' : '0.001'}
        value={fiat ?? amount}
        onChange={(value) => onChange(dollars ? { fiat: value } : { amount: value })}
        suffix={<Swap unit={dollars ? 'USD' : asset} other={dollars ? asset : buy.dollars} onClick={swap} />}
      />
      {rate ? <Chips {...{ draft, rate, onChange }} /> : null}
    </div>
  )
}

function Swap({ unit, other, onClick }: { unit: string; other: string; onClick: () => void }) {
  return (
    <Button
      variant="ghost"
      size="sm"
      aria-label={buy.swap(unit, other)}
      className="absolute inset-y-0 right-1 my-auto gap-1.5 px-2 text-muted-foreground"
      onClick={onClick}
    >
      {unit}
      <ArrowUpDown aria-hidden />
    </Button>
  )
}

/** The specification's minimum, or the balance's own, and the other side of what was entered. */
function Hint({ draft, rate }: { draft: BuyDraft; rate: string | undefined }) {
  const { asset, amount, fiat } = draft
  const { data: limits } = useQuery(limitsQuery)
  const { accountBalance } = useSignedInUser()
  const { least } = boundsOf(limits, draft.method, accountBalance, asset, rate)
  const other =
    !rate || !isPositive(amount)
      ? undefined
      : fiat === undefined
        ? buy.amountApprox(usd(fiatFor(amount, rate)))
        : buy.coinApprox(amountIn(asset, amount))
  return (
    <>
      {other ? <span className="block tabular-nums">{other}</span> : null}
      {draft.method === 'balance' && least ? buy.minimumOfBalance(asset, usd(least)) : buy.minimum(asset)}
    </>
  )
}

interface ChipsProps {
  draft: BuyDraft
  rate: string
  onChange: (part: Partial<BuyDraft>) => void
}

/** Amounts to press: the least, some round ones, the most. */
function Chips({ draft, rate, onChange }: ChipsProps) {
  const { asset, fiat } = draft
  const { data: limits } = useQuery(limitsQuery)
  const { accountBalance } = useSignedInUser()
  const bounds = boundsOf(limits, draft.method, accountBalance, asset, rate)
  const short = (amount: string) => usd(amount).replace('.00', '')
  const set = (dollars: string, coin: string) =>
    onChange(fiat === undefined ? { amount: coin } : { fiat: dollars })
  const bound = (which: 'least' | 'most') => {
    const dollars = bounds[which]
    if (!dollars) return null
    const coin = coinWithin(dollars, rate, amountDecimals[asset], which)
    const shown = fiat === undefined ? `${amountIn(asset, coin)} (${short(dollars)})` : short(dollars)
    return <Chip onClick={() => set(dollars, coin)}>{buy[which](shown)}</Chip>
  }
  return (
    <fieldset className="mt-3 flex flex-wrap gap-2">
      <legend className="sr-only">{buy.amountSuggestions}</legend>
      {bound('least')}
      {suggestions.map((dollars) => (
        <Chip key={dollars} onClick={() => set(dollars, cryptoFor(dollars, rate, amountDecimals[asset]))}>
          {fiat === undefined ? '≈ ' : ''}
          {short(dollars)}
        </Chip>
      ))}
      {bound('most')}
    </fieldset>
  )
}

function Chip({ children, onClick }: { children: ReactNode; onClick: () => void }) {
  return (
    <Button
      variant="outline"
      size="sm"
      className="h-auto min-h-9 max-w-full border-border py-1 whitespace-normal tabular-nums md:h-auto md:min-h-8"
      onClick={onClick}
    >
      {children}
    </Button>
  )
}
