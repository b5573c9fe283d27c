import { CircleCheck, TriangleAlert } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Field } from '@/components/form/field'
import { Input } from '@/components/ui/input'
import { addressOf, hasInvisible } from '@/lib/clean'
import { parseAmount } from '@/lib/money'
import { useConfig } from '@/lib/session'
import { addressTexts, buy } from '@/messages/buy'
import { networkNames } from '@/messages/common'
import { type AddressCheck, checkAddress, onNetwork, sendingOf } from './address'
import { ScanButton } from './scan'
import { type Asked, isWalletLink, type LinkProblem, readWalletLink } from './wallet-link'

/** Why this address cannot be used for this asset, as text. */
export function addressProblem(asset: string, check: AddressCheck): string | undefined {
  if (check.ok) return undefined
  switch (check.error) {
    case 'wrong_network':
      return addressTexts.errors.wrong_network(asset, networkNames[check.network ?? ''] ?? '')
    case 'malformed':
      return addressTexts.errors.malformed(asset)
    default:
      return addressTexts.errors[check.error]
  }
}

function linkProblem(asset: string, problem: LinkProblem): string {
  return problem === 'asset' ? addressTexts.link.asset(asset) : addressTexts.link[problem]
}

interface AddressFieldProps {
  asset: string
  /** What is bought: a wallet's link may name the amount it is for. */
  amount: string
  /** The only one that is sent on; left out where the address decides it. */
  network?: string
  value: string
  onChange: (value: string) => void
  /** The error of the server, or of pressing the button. */
  error: string | undefined
  /** An incomplete address is only a mistake once the person has left the field. */
  touched: boolean
  onBlur: () => void
}

export function AddressField(props: AddressFieldProps) {
  const { asset, amount, network, value, onChange, error, touched, onBlur } = props
  const [taken, setTaken] = useState<{ asked?: Asked | undefined }>()
  const [removed, setRemoved] = useState(false)
  const all = sendingOf(useConfig())
  const sending = network ? onNetwork(all, asset, network) : all
  const only = sending.offered?.[asset]
  const link = isWalletLink(value) ? readWalletLink(value, asset) : undefined
  const refused = link && 'problem' in link ? linkProblem(asset, link.problem) : undefined
  const enter = (text: string) => {
    const read = isWalletLink(text) ? readWalletLink(text, asset) : undefined
    const found = read && 'address' in read ? read : undefined
    const seen = addressOf(text)
    setTaken(found && { asked: found.asked })
    setRemoved(hasInvisible(text))
    onChange(found?.address ?? (seen === text.trim() ? text : seen))
  }
  // A link for another coin is read again when that coin is chosen.
  const found = link && 'address' in link ? link : undefined
  useEffect(() => {
    if (!found) return
    setTaken({ asked: found.asked })
    onChange(found.address)
  }, [found, onChange])
  const other = taken?.asked && !parseAmount(amount)?.eq(taken.asked.amount) ? taken.asked : undefined
  const entered = value.trim() !== ''
  const check = entered ? checkAddress(asset, value, sending) : undefined
  const early = check && !check.ok && check.error === 'incomplete' && !touched
  const problem = check && !early ? addressProblem(asset, check) : undefined
  return (
    <div>
      <Field id="address" label={buy.addressLabel} hint={buy.addressHint} error={refused ?? error ?? problem}>
        {(props) => (
          <Input
            {...props}
            value={value}
            onChange={(event) => enter(event.target.value)}
            onBlur={onBlur}
            placeholder={buy.addressPlaceholder(asset, only?.length === 1 ? only[0] : undefined)}
            autoComplete="off"
            autoCapitalize="off"
            autoCorrect="off"
            spellCheck={false}
            className="font-mono text-dense md:text-dense"
          />
        )}
      </Field>
      <ScanButton onRead={enter} />
      <div aria-live="polite" className="empty:hidden">
        {taken ? <p className="mt-2 text-sm text-muted-foreground">{addressTexts.link.taken}</p> : null}
        {other ? (
          <p className="mt-2 flex items-start gap-1.5 text-sm text-pending-text">
            <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
            {addressTexts.link.amount(`${other.amount} ${other.asset}`)}
          </p>
        ) : null}
        {removed ? <p className="mt-2 text-sm text-muted-foreground">{addressTexts.removed}</p> : null}
        {check?.ok && !error ? <Recognised check={check} /> : null}
      </div>
    </div>
  )
}

function Recognised({ check }: { check: Extract<AddressCheck, { ok: true }> }) {
  return (
    <div className="mt-2 space-y-1 text-sm">
      <p className="flex items-center gap-1.5 font-medium text-success-text">
        <CircleCheck aria-hidden className="size-4 shrink-0" />
        {addressTexts.recognised(
          networkNames[check.network] ?? check.network,
          addressTexts.forms[check.form],
        )}
      </p>
      {check.checksummed ? null : (
        <p className="flex items-start gap-1.5 text-pending-text">
          <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
          {addressTexts.noChecksum}
        </p>
      )}
    </div>
  )
}
