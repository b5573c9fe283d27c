import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { CircleAlert, Globe } from 'lucide-react'
import { useState } from 'react'
import type { Location } from '@/api/types.gen'
import { AmountField } from '@/components/form/amount-field'
import { Field } from '@/components/form/field'
import { NothingYet, Notice } from '@/components/states/states'
import { Time } from '@/components/status/time'
import { Button } from '@/components/ui/button'
import { Card, CardLead } from '@/components/ui/card'
import { Dialog, DialogActions, DialogContent } from '@/components/ui/dialog'
import { Input, Label, Select } from '@/components/ui/input'
import { Switch } from '@/components/ui/switch'
import { StepUpCancelled, useStepUp } from '@/features/two-factor/step-up'
import { fieldMessage, messageOf } from '@/lib/http'
import { toast } from '@/lib/toast'
import { adminPricing as texts } from '@/messages/admin-pricing'
import { common } from '@/messages/common'
import { Loaded } from '../shared/loaded'
import { PricingHistory } from './pricing-history'
import {
  addLocation,
  byName,
  changeLocation,
  countryName,
  locationPricingQuery,
  pricingKey,
  removeLocation,
} from './queries'

/** Countries with a price of their own, and countries that are not sold to. */
export function Locations({ mayChange }: { mayChange: boolean }) {
  const query = useQuery(locationPricingQuery)
  const [open, setOpen] = useState<Location | 'new'>()
  const [removing, setRemoving] = useState<Location>()
  const add = mayChange ? <Button onClick={() => setOpen('new')}>{texts.addCountry}</Button> : undefined
  return (
    <>
      <Loaded query={query} failed={texts.fetchFailed.locations}>
        {({ locations, countries }) => (
          <Card>
            {locations.length === 0 ? (
              <NothingYet
                icon={Globe}
                title={texts.locationsEmpty}
                hint={texts.locationsEmptyHint}
                action={add}
              />
            ) : (
              <>
                <div className="flex flex-wrap items-start justify-between gap-4">
                  <CardLead className="mt-0 max-w-prose">{texts.locationsLead}</CardLead>
                  {add}
                </div>
                <ul className="mt-4 divide-y">
                  {locations.map((location) => (
                    <Row
                      key={location.id}
                      location={location}
                      mayChange={mayChange}
                      onEdit={() => setOpen(location)}
                      onRemove={() => setRemoving(location)}
                    />
                  ))}
                </ul>
              </>
            )}
            {open ? (
              <LocationDialog
                location={open === 'new' ? undefined : open}
                countries={countries.filter((code) => !locations.some(({ country }) => country === code))}
                onClose={() => setOpen(undefined)}
              />
            ) : null}
          </Card>
        )}
      </Loaded>
      {removing ? <Removal location={removing} onClose={() => setRemoving(undefined)} /> : null}
      <PricingHistory kind="country" />
    </>
  )
}

interface RowProps {
  location: Location
  mayChange: boolean
  onEdit: () => void
  onRemove: () => void
}

function Row({ location, mayChange, onEdit, onRemove }: RowProps) {
  const name = countryName(location.country)
  return (
    <li className="flex flex-wrap items-center justify-between gap-3 py-3">
      <div className="min-w-0 text-sm">
        <p className="font-medium">{name}</p>
        <p className="text-muted-foreground">
          {location.isBlocked ? (
            <span className="font-medium text-danger-text">{texts.blocked}</span>
          ) : (
            texts.onTop(location.adjustmentPercent)
          )}{' '}
          · {texts.version(location.version)} · <Time at={location.updatedAt} />
        </p>
      </div>
      {mayChange ? (
        <div className="flex gap-2">
          <Button variant="outline" size="sm" onClick={onEdit}>
            {texts.edit}
            <span className="sr-only"> {name}</span>
          </Button>
          <Button variant="outline" size="sm" onClick={onRemove}>
            {texts.remove}
            <span className="sr-only"> {name}</span>
          </Button>
        </div>
      ) : null}
    </li>
  )
}

/** A change of locations: its toast, and fresh lists after it. */
function useLocationChange(change: (code?: string) => Promise<unknown>, done: string, onDone: () => void) {
  const client = useQueryClient()
  const { run, dialog } = useStepUp()
  const made = useMutation({
    mutationFn: () => run(change),
    onSuccess: () => {
      toast({ title: done })
      onDone()
    },
    onSettled: () => {
      void client.invalidateQueries({ queryKey: pricingKey })
      void client.invalidateQueries({ queryKey: ['limits'] })
    },
  })
  // An admin who dismissed the prompt for the code expects that nothing was done.
  return { ...made, error: made.error instanceof StepUpCancelled ? null : made.error, dialog }
}

interface LocationDialogProps {
  location: Location | undefined
  countries: readonly string[]
  onClose: () => void
}

function LocationDialog({ location, countries, onClose }: LocationDialogProps) {
  const [country, setCountry] = useState(location?.country ?? '')
  const [adjustmentPercent, setPercent] = useState(location?.adjustmentPercent ?? '0')
  const [isBlocked, setBlocked] = useState(location?.isBlocked ?? false)
  const [reason, setReason] = useState('')
  const save = useLocationChange(
    (code) =>
      location
        ? changeLocation(
            location.id,
            { adjustmentPercent, isBlocked, version: location.version, reason },
            code,
          )
        : addLocation({ country, adjustmentPercent, isBlocked, reason }, code),
    texts.locationSaved,
    onClose,
  )
  const choices = byName(countries)
  const title = location ? `${texts.addTitle}: ${countryName(location.country)}` : texts.addTitle
  const told = ['country', 'adjustmentPercent'].some((field) => fieldMessage(save.error, field))
  return (
    <>
      <Dialog open onOpenChange={(open) => (open || save.isPending ? undefined : onClose())}>
        <DialogContent title={title} description={texts.addText}>
          <form
            noValidate
            className="space-y-4"
            onSubmit={(event) => {
              event.preventDefault()
              if (!save.isPending) save.mutate()
            }}
          >
            {location ? null : (
              <Field
                id="location-country"
                label={texts.fields.country}
                error={fieldMessage(save.error, 'country')}
              >
                {(props) => (
                  <Select {...props} value={country} onChange={(event) => setCountry(event.target.value)}>
                    <option value="">{texts.chooseCountry}</option>
                    {choices.map((code) => (
                      <option key={code} value={code}>
                        {countryName(code)}
                      </option>
                    ))}
                  </Select>
                )}
              </Field>
            )}
            <AmountField
              id="location-percent"
              label={texts.fields.adjustmentPercent}
              error={fieldMessage(save.error, 'adjustmentPercent')}
              unit="%"
              step="0.01"
              min="0"
              value={adjustmentPercent}
              onChange={setPercent}
            />
            <div className="flex items-center gap-3">
              <Switch id="location-blocked" checked={isBlocked} onCheckedChange={setBlocked} />
              <Label htmlFor="location-blocked">{texts.blockedSwitch}</Label>
            </div>
            <Field id="location-reason" label={texts.reason} hint={texts.reasonHint}>
              {(props) => (
                <Input {...props} value={reason} onChange={(event) => setReason(event.target.value)} />
              )}
            </Field>
            {save.error && !told ? (
              <Notice tone="danger" icon={CircleAlert} role="alert" title={texts.failed}>
                {messageOf(save.error, texts.failedText)}
              </Notice>
            ) : null}
            <DialogActions>
              <Button variant="outline" onClick={onClose} disabled={save.isPending}>
                {common.cancel}
              </Button>
              <Button type="submit" disabled={save.isPending}>
                {save.isPending ? texts.saving : texts.save}
              </Button>
            </DialogActions>
          </form>
        </DialogContent>
      </Dialog>
      {save.dialog}
    </>
  )
}

function Removal({ location, onClose }: { location: Location; onClose: () => void }) {
  const remove = useLocationChange(
    (code) => removeLocation(location.id, location.version, '', code),
    texts.locationRemoved,
    onClose,
  )
  return (
    <>
      <Dialog open onOpenChange={(open) => (open || remove.isPending ? undefined : onClose())}>
        <DialogContent
          title={texts.removeTitle(countryName(location.country))}
          description={texts.removeText}
        >
          {remove.error ? (
            <Notice tone="danger" icon={CircleAlert} role="alert" title={texts.failed}>
              {messageOf(remove.error, texts.failedText)}
            </Notice>
          ) : null}
          <DialogActions>
            <Button variant="outline" onClick={onClose} disabled={remove.isPending}>
              {common.cancel}
            </Button>
            <Button variant="destructive" disabled={remove.isPending} onClick={() => remove.mutate()}>
              {texts.remove}
            </Button>
          </DialogActions>
        </DialogContent>
      </Dialog>
      {remove.dialog}
    </>
  )
}
