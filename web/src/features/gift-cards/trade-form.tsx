import { Link } from '@tanstack/react-router'
import { Lock } from 'lucide-react'
import type { GiftCardCatalogue } from '@/api/types.gen'
import { AmountField } from '@/components/form/amount-field'
import { Field } from '@/components/form/field'
import { Restored } from '@/components/form/restored'
import { SendError } from '@/components/form/send-error'
import { Pair, Pairs, Usd } from '@/components/money/money'
import { Button } from '@/components/ui/button'
import { buttonVariants } from '@/components/ui/button-variants'
import { Input, Select } from '@/components/ui/input'
import { usd } from '@/lib/format'
import { isPositive } from '@/lib/money'
import { giftCards as texts } from '@/messages/gift-cards'
import { type CardField, expiryTyped } from './form'
import { Pictures } from './pictures'
import { type Trade, useTrade } from './use-trade'

/** The fields of a card that is sold: loaded once the brands are there. */
export default function TradeForm({ catalogue }: { catalogue: GiftCardCatalogue }) {
  const trade = useTrade(catalogue)
  return (
    <form
      noValidate
      className="mt-5 grid grid-cols-1 gap-4 sm:grid-cols-2"
      onSubmit={(event) => {
        event.preventDefault()
        trade.submit()
      }}
    >
      <Restored draft={trade.draft} className="sm:col-span-2" />
      <Brand trade={trade} catalogue={catalogue} />
      <AmountField
        id="gift-card-value"
        label={texts.value}
        error={trade.mistakes.value}
        unit="USD"
        decimals={2}
        positive
        placeholder="100.00"
        value={trade.form.value}
        onChange={(value) => trade.change({ value })}
      />
      {begun(trade) ? <CardDetails trade={trade} mostImages={catalogue.maxImages} /> : null}
      <Quote trade={trade} catalogue={catalogue} />
      <SendError money error={trade.error} fallback={texts.failed} className="sm:col-span-2" />
      <div className="flex flex-wrap items-center gap-3 sm:col-span-2">
        <Button type="submit" className="w-full sm:w-auto" disabled={trade.pending}>
          {trade.pending ? texts.submitting : texts.submit}
        </Button>
        <Link to="/gift-cards" className={buttonVariants({ variant: 'link', className: 'px-0' })}>
          {texts.mine}
        </Link>
      </div>
      <p className="flex gap-2 text-sm text-muted-foreground sm:col-span-2">
        <Lock aria-hidden className="mt-0.5 size-4 shrink-0" />
        {texts.safety}
      </p>
    </form>
  )
}

/** What is printed on the card is asked for once there is a card to sell, or something of it is missing. */
function begun({ form, mistakes }: Trade): boolean {
  return form.brand !== '' || form.value !== '' || Object.keys(mistakes).length > 0
}

function CardDetails({ trade, mostImages }: { trade: Trade; mostImages: number }) {
  const prepaid = trade.form.cardType === 'prepaid'
  return (
    <>
      <div className="sm:col-span-2">
        <Text
          trade={trade}
          field="cardCode"
          label={texts.code}
          {...(prepaid ? { inputMode: 'numeric' as const } : {})}
        />
      </div>
      {prepaid ? (
        <>
          <Text
            trade={trade}
            field="expirationDate"
            label={texts.expiry}
            inputMode="numeric"
            placeholder={texts.expiryExample}
            typed={(text) => expiryTyped(trade.form.expirationDate, text)}
          />
          <Text trade={trade} field="securityCode" label={texts.securityCode} inputMode="numeric" />
        </>
      ) : (
        <Text trade={trade} field="pin" label={texts.pin} />
      )}
      <div className="sm:col-span-2">
        <Pictures trade={trade} most={mostImages} />
      </div>
    </>
  )
}

function Brand({ trade, catalogue }: { trade: Trade; catalogue: GiftCardCatalogue }) {
  const options = (type: 'prepaid' | 'regular') =>
    catalogue.brands
      .filter((brand) => brand.type === type)
      .map((brand) => (
        <option key={brand.value} value={brand.value}>
          {brand.label}
        </option>
      ))
  return (
    <Field id="gift-card-brand" label={texts.brand} error={trade.mistakes.brand}>
      {(props) => (
        <Select {...props} value={trade.form.brand} onChange={(event) => trade.choose(event.target.value)}>
          <option value="">{texts.chooseBrand}</option>
          <optgroup label={texts.prepaidGroup}>{options('prepaid')}</optgroup>
          <optgroup label={texts.regularGroup}>{options('regular')}</optgroup>
        </Select>
      )}
    </Field>
  )
}

interface TextProps {
  trade: Trade
  field: Exclude<CardField, 'brand' | 'value'>
  label: string
  inputMode?: 'numeric'
  placeholder?: string
  typed?: (text: string) => string
}

function Text({ trade, field, label, typed, ...input }: TextProps) {
  return (
    <Field id={`gift-card-${field}`} label={label} error={trade.mistakes[field]}>
      {(props) => (
        <Input
          {...props}
          {...input}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          value={trade.form[field]}
          onChange={(event) =>
            trade.change({ [field]: typed ? typed(event.target.value) : event.target.value })
          }
        />
      )}
    </Field>
  )
}

function Quote({ trade, catalogue }: { trade: Trade; catalogue: GiftCardCatalogue }) {
  const nothing = isPositive(trade.form.value) && !trade.payout
  const why = trade.tooMuch ? texts.tooMuch(usd(catalogue.maxValue)) : texts.paysNothing
  return (
    <div className="rounded-md bg-muted p-4 sm:col-span-2" aria-live="polite">
      <Pairs>
        <Pair name={texts.rate}>×&nbsp;{catalogue.exchangeRate}</Pair>
        <Pair name={texts.fee}>
          <Usd amount={catalogue.flatFee} />
        </Pair>
        <Pair name={texts.payout} strong>
          <Usd amount={trade.payout} />
        </Pair>
      </Pairs>
      {nothing ? <p className="mt-2 text-sm text-danger-text">{why}</p> : null}
      <p className="mt-2 text-sm text-muted-foreground">{texts.next(catalogue.reviewDays)}</p>
    </div>
  )
}
