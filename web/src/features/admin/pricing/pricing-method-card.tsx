import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { TriangleAlert } from 'lucide-react'
import { lazy, Suspense, useEffect, useState } from 'react'
import type { ExamplePrice, MethodPricing, MethodPricingChange } from '@/api/types.gen'
import { AmountField } from '@/components/form/amount-field'
import { Field } from '@/components/form/field'
import { LoadingRows, Notice } from '@/components/states/states'
import { Time } from '@/components/status/time'
import { Button } from '@/components/ui/button'
import { Card } from '@/components/ui/card'
import { Input, Label } from '@/components/ui/input'
import { Switch } from '@/components/ui/switch'
import { StepUpCancelled, useStepUp } from '@/features/two-factor/step-up'
import { usd } from '@/lib/format'
import { fieldMessage, HttpError, messageOf } from '@/lib/http'
import { toast } from '@/lib/toast'
import { adminPricing as texts } from '@/messages/admin-pricing'
import { methodLabels } from '@/messages/common'
import { Fold } from '../shared/fold'
import { changeMethod, offeredIn, previewQuery, pricingKey } from './queries'

/** All countries of the world are loaded by whoever changes where a method is offered. */
const MethodCountries = lazy(async () => ({ default: (await import('./method-countries')).MethodCountries }))

/** The form's values. It keeps the version it began from, so that no other admin's change is overwritten. */
interface Draft {
  baseMarginPercent: string
  processingFee: string
  minOrderAmount: string
  maxOrderAmount: string
  isEnabled: boolean
  countries: string[]
  description: string
  version: number
  reason: string
}

const numbers = ['baseMarginPercent', 'processingFee', 'minOrderAmount', 'maxOrderAmount'] as const

/** A person who is still typing does not need a price for each key. */
const TYPING_MS = 300

function draftOf(method: MethodPricing): Draft {
  const { baseMarginPercent, processingFee, minOrderAmount, isEnabled, countries, description, version } =
    method
  const maxOrderAmount = method.maxOrderAmount ?? ''
  return {
    baseMarginPercent,
    processingFee,
    minOrderAmount,
    maxOrderAmount,
    isEnabled,
    countries,
    description,
    version,
    reason: '',
  }
}

function differs(draft: Draft, method: MethodPricing): boolean {
  const { reason: _, version: __, ...entered } = draft
  const { reason: ___, version: ____, ...standing } = draftOf(method)
  return JSON.stringify(entered) !== JSON.stringify(standing)
}

interface MethodCardProps {
  method: MethodPricing
  mayChange: boolean
  onUnsaved: (id: string, unsaved: boolean) => void
}

export function MethodCard({ method, mayChange, onUnsaved }: MethodCardProps) {
  const client = useQueryClient()
  const [draft, setDraft] = useState<Draft>()
  const shown = draft ?? draftOf(method)
  const unsaved = draft !== undefined && differs(draft, method)
  const { run, dialog } = useStepUp()
  const save = useMutation({
    mutationFn: (entered: Draft) => run((code) => changeMethod(method.id, entered, code)),
    onSuccess: () => {
      toast({ title: texts.updated, description: texts.updatedText })
      setDraft(undefined)
    },
    onError: (error) => {
      if (error instanceof StepUpCancelled) return
      toast({
        title: texts.failed,
        description: messageOf(error, texts.failedText),
        variant: 'destructive',
      })
    },
    onSettled: () => {
      void client.invalidateQueries({ queryKey: pricingKey })
      void client.invalidateQueries({ queryKey: ['public-prices'] })
      void client.invalidateQueries({ queryKey: ['limits'] })
    },
  })
  const preview = usePreview(method.id, unsaved ? draft : undefined)
  useEffect(() => {
    onUnsaved(method.id, unsaved)
    return () => onUnsaved(method.id, false)
  }, [method.id, unsaved, onUnsaved])
  const change = (part: Partial<Draft>) => {
    save.reset()
    setDraft({ ...shown, ...part })
  }
  const mistake = (name: string) => fieldMessage(save.error, name) ?? fieldMessage(preview.error, name)
  const name = methodLabels[method.paymentMethod] ?? method.paymentMethod
  const meanwhile = save.error instanceof HttpError && save.error.code === 'changed_meanwhile'
  return (
    <Card aria-label={name}>
      <Fold
        title={name}
        held={unsaved}
        lead={
          <>
            <p className="text-sm tabular-nums md:hidden">
              {method.baseMarginPercent} % + {usd(method.processingFee)} · {usd(method.minOrderAmount)}–
              {method.maxOrderAmount === null ? texts.noLimit : usd(method.maxOrderAmount)}
            </p>
            <p className="text-xs text-muted-foreground">
              {texts.version(method.version)} · <Time at={method.updatedAt} />
              {method.isPublic ? ` · ${texts.shownPublicly}` : ''}
              {method.inBuyFlow ? ` · ${texts.bought}` : ''}
            </p>
            {texts.apart[method.paymentMethod] ? (
              <p className="text-xs text-muted-foreground">{texts.apart[method.paymentMethod]}</p>
            ) : null}
          </>
        }
        beside={
          <span className="flex min-h-11 shrink-0 items-center gap-2 md:min-h-0">
            <Label htmlFor={`${method.id}-enabled`}>
              {texts.fields.isEnabled}
              <span className="sr-only"> {name}</span>
            </Label>
            <Switch
              id={`${method.id}-enabled`}
              disabled={!mayChange}
              checked={shown.isEnabled}
              onCheckedChange={(isEnabled) => change({ isEnabled })}
            />
          </span>
        }
      >
        <form
          noValidate
          aria-label={name}
          className="mt-4"
          onSubmit={(event) => {
            event.preventDefault()
            if (draft && unsaved && !save.isPending) save.mutate(draft)
          }}
        >
          <fieldset disabled={!mayChange} className="grid items-start gap-4 sm:grid-cols-2">
            <legend className="sr-only">{name}</legend>
            {numbers.map((field) => (
              <AmountField
                key={field}
                id={`${method.id}-${field}`}
                label={texts.fields[field]}
                error={mistake(field)}
                unit={field === 'baseMarginPercent' ? '%' : 'USD'}
                decimals={field === 'baseMarginPercent' ? undefined : 2}
                positive={field === 'maxOrderAmount'}
                step="0.01"
                min="0"
                placeholder={field === 'maxOrderAmount' ? texts.noLimit : undefined}
                value={shown[field]}
                onChange={(value) => change({ [field]: value })}
              />
            ))}
            <div className="sm:col-span-2">
              <Field
                id={`${method.id}-description`}
                label={texts.fields.description}
                error={mistake('description')}
              >
                {(props) => (
                  <Input
                    {...props}
                    value={shown.description}
                    onChange={(event) => change({ description: event.target.value })}
                  />
                )}
              </Field>
            </div>
            <Countries
              id={`${method.id}-countries`}
              name={name}
              countries={shown.countries}
              error={mistake('countries')}
              onChange={mayChange ? (countries) => change({ countries }) : undefined}
            />
          </fieldset>
          {mayChange ? (
            <div className="mt-4 min-h-20 rounded-md bg-muted p-3 text-sm" aria-live="polite">
              {unsaved && preview.data ? (
                <Example before={preview.data.before} after={preview.data.after} whose={preview.data.for} />
              ) : (
                <p className="text-muted-foreground">{texts.exampleIdle}</p>
              )}
            </div>
          ) : null}
          {unsaved ? (
            <div className="mt-4">
              <Field id={`${method.id}-reason`} label={texts.reason} hint={texts.reasonHint}>
                {(props) => (
                  <Input
                    {...props}
                    value={shown.reason}
                    onChange={(event) => change({ reason: event.target.value })}
                  />
                )}
              </Field>
            </div>
          ) : null}
          {meanwhile ? (
            <Notice tone="pending" icon={TriangleAlert} role="alert" title={texts.meanwhile} className="mt-4">
              {messageOf(save.error, texts.failedText)}{' '}
              <button
                type="button"
                className="font-semibold underline underline-offset-4"
                onClick={() => {
                  save.reset()
                  setDraft(undefined)
                }}
              >
                {texts.showInForce}
              </button>
            </Notice>
          ) : null}
          {unsaved ? (
            <div className="mt-4 flex gap-3">
              <Button type="submit" disabled={save.isPending}>
                {save.isPending ? texts.saving : texts.save}
                <span className="sr-only"> {name}</span>
              </Button>
              <Button
                variant="outline"
                disabled={save.isPending}
                onClick={() => {
                  save.reset()
                  setDraft(undefined)
                }}
              >
                {texts.discard}
              </Button>
            </div>
          ) : null}
        </form>
      </Fold>
      {dialog}
    </Card>
  )
}

interface CountriesProps {
  id: string
  name: string
  countries: readonly string[]
  error: string | undefined
  /** Undefined for who may only read. */
  onChange: ((countries: string[]) => void) | undefined
}

/** Where the method is offered, and the way to change it. */
function Countries({ onChange, ...props }: CountriesProps) {
  const [open, setOpen] = useState(false)
  return (
    <fieldset className="min-w-0 text-sm sm:col-span-2">
      <legend className="mb-1.5 font-medium">{texts.fields.countries}</legend>
      <p className="wrap-anywhere">{offeredIn(props.countries)}</p>
      {onChange ? (
        <Button
          variant="outline"
          size="sm"
          className="mt-2"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          {texts.editCountries}
          <span className="sr-only"> {props.name}</span>
        </Button>
      ) : null}
      {onChange && open ? (
        <Suspense fallback={<LoadingRows rows={1} />}>
          <MethodCountries {...props} onChange={onChange} />
        </Suspense>
      ) : null}
    </fieldset>
  )
}

/** The server's own calculation for what is entered, once the typing has paused. */
function usePreview(id: string, draft: Draft | undefined) {
  const entered = draft ? JSON.stringify({ ...draft, reason: '', version: 0 }) : ''
  const [settled, setSettled] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setSettled(entered), TYPING_MS)
    return () => clearTimeout(timer)
  }, [entered])
  const asked =
    settled !== '' && settled === entered ? (JSON.parse(settled) as MethodPricingChange) : undefined
  return useQuery(previewQuery(id, asked))
}

interface ExampleProps {
  before: ExamplePrice
  after: ExamplePrice
  whose: string
}

function Example({ before, after, whose }: ExampleProps) {
  return (
    <>
      <p className="font-medium">{texts.example}</p>
      <dl className="mt-1 flex flex-wrap gap-x-6 gap-y-1 tabular-nums">
        {(
          [
            [texts.before, before],
            [texts.after, after],
          ] as const
        ).map(([label, price]) => (
          <div key={label} className="flex flex-wrap gap-x-2">
            <dt className="text-muted-foreground">{label}</dt>
            <dd>
              <strong className="font-semibold">{usd(price.total)}</strong> ({price.marginPercent} %)
              {price.refused ? <span className="block text-pending-text">{price.refused}</span> : null}
            </dd>
          </div>
        ))}
      </dl>
      <p className="mt-1 text-xs text-muted-foreground">{texts.exampleFor(whose)}</p>
    </>
  )
}
