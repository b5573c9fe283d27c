import { type ComponentProps, type ReactNode, useState } from 'react'
import { certainPoint, keptOf, type Reading, readAmount, shownOf } from '@/lib/amount'
import { amountIn } from '@/lib/format'
import { isPositive, nearest, parseAmount } from '@/lib/money'
import { amount as texts } from '@/messages/amount'
import { Button } from '../ui/button'
import { Input } from '../ui/input'
import { Field } from './field'

interface AmountFieldProps
  extends Pick<ComponentProps<'input'>, 'placeholder' | 'disabled' | 'step' | 'min' | 'className'> {
  id: string
  label: ReactNode
  hint?: ReactNode
  error?: string | undefined
  /** A plain decimal, as the server accepts it. Input that does not parse is kept as no amount at all. */
  value: string
  onChange: (value: string) => void
  /** USD, an asset's code or "%": its signs are understood, and shown with what was understood. */
  unit?: string
  decimals?: number | undefined
  /** Zero is no answer. */
  positive?: boolean
  /** Stands in the field, at its end. */
  suffix?: ReactNode
}

/** The one field for amounts: shows how it parsed the input, and asks where a text has two meanings. */
export function AmountField({
  id,
  label,
  hint,
  error,
  value,
  onChange,
  unit,
  decimals = 18,
  positive,
  suffix,
  className,
  ...input
}: AmountFieldProps) {
  const [typed, setTyped] = useState<string>()
  const [touched, setTouched] = useState(false)
  const read = (text: string) =>
    readAmount(text, { point: certainPoint(), decimals, ...(unit ? { unit } : {}) })
  const keep = (text: string) => keptOf(text, read(text), decimals)
  // What the form sets, by a chip or for another record, replaces what was typed before.
  const own = typed !== undefined && keep(typed) === value ? typed : undefined
  const reading: Reading =
    own === undefined && parseAmount(value) ? { kind: 'amount', value } : read(own ?? shownOf(value))
  const shown = own ?? shownOf(value)
  const choose = (amount: string) => {
    setTyped(undefined)
    onChange(amount)
    document.getElementById(id)?.focus()
  }
  const problem = problemOf(reading, { unit, decimals, positive })
  return (
    <div>
      <Field id={id} label={label} hint={hint} error={problem ?? error}>
        {(props) => (
          <div className="relative">
            <Input
              {...input}
              {...props}
              type="text"
              inputMode="decimal"
              autoComplete="off"
              spellCheck={false}
              value={shown}
              onChange={(event) => {
                setTouched(true)
                setTyped(event.target.value)
                onChange(keep(event.target.value))
              }}
              className={`tabular-nums ${suffix ? 'pr-24' : ''} ${className ?? ''}`}
            />
            {suffix}
          </div>
        )}
      </Field>
      <div aria-live="polite" className="empty:hidden">
        {touched || reading.kind === 'ambiguous' ? (
          <Understood id={id} reading={reading} {...{ unit, decimals, choose }} />
        ) : null}
      </div>
    </div>
  )
}

interface Rules {
  unit: string | undefined
  decimals: number
  positive?: boolean | undefined
}

function isTooFine(amount: string, decimals: number): boolean {
  return (amount.split('.')[1] ?? '').length > decimals
}

function problemOf(reading: Reading, { unit, decimals, positive }: Rules): string | undefined {
  if (reading.kind === 'refused') {
    const { why } = reading
    if (why === 'unfinished') return undefined
    return why === 'unit' ? texts.unit(unit ?? '') : texts.refused[why]
  }
  if (reading.kind !== 'amount') return undefined
  if (positive && !isPositive(reading.value)) return texts.positive
  return isTooFine(reading.value, decimals) ? texts.tooFine(unit ?? '', decimals).trimStart() : undefined
}

interface UnderstoodProps extends Rules {
  id: string
  reading: Reading
  choose: (amount: string) => void
}

/** What the text was understood as, or the amounts it may stand for. */
function Understood({ id, reading, unit, decimals, choose }: UnderstoodProps) {
  if (reading.kind === 'ambiguous') {
    return (
      <fieldset className="mt-2 flex flex-wrap gap-2">
        <legend className="mb-2 text-sm font-medium text-pending-text">{texts.choose}</legend>
        {reading.choices.map((choice) => (
          <Button key={choice} variant="outline" size="sm" onClick={() => choose(choice)}>
            {amountIn(unit, choice)}
          </Button>
        ))}
      </fieldset>
    )
  }
  if (reading.kind !== 'amount') return null
  if (isTooFine(reading.value, decimals)) {
    const close = nearest(reading.value, decimals)
    return (
      <Button variant="outline" size="sm" className="mt-2" onClick={() => choose(close)}>
        {texts.use(amountIn(unit, close))}
      </Button>
    )
  }
  return (
    <p data-understood={id} className="mt-1.5 text-sm text-muted-foreground tabular-nums">
      = {amountIn(unit, reading.value)}
    </p>
  )
}
