import { useQuery } from '@tanstack/react-query'
import { Field } from '@/components/form/field'
import { Button } from '@/components/ui/button'
import { Input } from '@/components/ui/input'
import { usd } from '@/lib/format'
import { cryptoFor, decimalsOf, isPositive } from '@/lib/money'
import { buy } from '@/messages/buy'
import { ratesQuery } from '../pricing/queries'
import { type Asset, amountDecimals } from './draft'

const suggestions = ['100', '250', '500', '1000']

interface AmountFieldProps {
  asset: Asset
  value: string
  error: string | undefined
  onChange: (value: string) => void
}

/** The crypto amount: its value is read as text, so no digit is lost; scrolling past it does not change it. */
export function AmountField({ asset, value, error, onChange }: AmountFieldProps) {
  const { data: rates } = useQuery(ratesQuery)
  const rate = rates?.[asset]
  const tooFine = decimalsOf(value.trim()) > amountDecimals[asset]
  return (
    <div className="mt-6">
      <h2 className="mb-3 text-base font-semibold">{buy.stepAmount}</h2>
      <Field
        id="amount"
        label={buy.amountLabel(asset)}
        hint={buy.minimum(asset)}
        error={tooFine ? buy.decimals(asset, amountDecimals[asset]) : error}
      >
        {(props) => (
          <div className="relative">
            <Input
              {...props}
              type="number"
              inputMode="decimal"
              step="0.00000001"
              min="0"
              placeholder="0.001"
              autoComplete="off"
              value={value}
              onChange={(event) => onChange(event.target.value)}
              onWheel={(event) => event.currentTarget.blur()}
              className="pr-16 tabular-nums"
            />
            <span
              aria-hidden
              className="pointer-events-none absolute inset-y-0 right-3 flex items-center text-sm text-muted-foreground"
            >
              {asset}
            </span>
          </div>
        )}
      </Field>
      {rate && isPositive(rate) ? (
        <fieldset className="mt-3 flex flex-wrap gap-2">
          <legend className="sr-only">{buy.amountSuggestions}</legend>
          {suggestions.map((fiat) => (
            <Button
              key={fiat}
              variant="outline"
              size="sm"
              className="border-border"
              onClick={() => onChange(cryptoFor(fiat, rate, amountDecimals[asset]))}
            >
              ≈ {usd(fiat).replace('.00', '')}
            </Button>
          ))}
        </fieldset>
      ) : null}
    </div>
  )
}
