import { useQuery } from '@tanstack/react-query'
import { Building2, CreditCard, Landmark, type LucideIcon, Smartphone, Wallet } from 'lucide-react'
import { FieldErrorText } from '@/components/form/field'
import { Tiles } from '@/components/form/tiles'
import { usd } from '@/lib/format'
import { isPositive } from '@/lib/money'
import { buy } from '@/messages/buy'
import { methodLabels } from '@/messages/common'
import { limitsQuery } from './queries'

/** SPEC §9's nine methods, in its order. */
export const buyMethods = [
  'card',
  'domestic_wire',
  'international_wire',
  'bank_transfer',
  'paypal',
  'zelle',
  'zelle_pay',
  'chime',
  'revolut',
] as const

const icons: Record<string, LucideIcon> = {
  card: CreditCard,
  domestic_wire: Building2,
  international_wire: Building2,
  bank_transfer: Landmark,
  balance: Wallet,
}

interface MethodTilesProps {
  balance: string
  value: string
  error: string | undefined
  onChange: (method: string) => void
}

/** The nine, and the balance as a tenth while there is one and it may be spent. A disabled method says so. */
export function MethodTiles({ balance, value, error, onChange }: MethodTilesProps) {
  const { data: limits } = useQuery(limitsQuery)
  const enabled = new Map(limits?.methods.map((method) => [method.method, method.isEnabled]))
  const paused = new Map(limits?.methods.map((method) => [method.method, method.paused]))
  const spendable = isPositive(balance) && enabled.get('balance') === true
  const codes: string[] = spendable ? [...buyMethods, 'balance'] : [...buyMethods]
  return (
    <div>
      <Tiles
        name="method"
        legend={buy.stepMethod}
        value={value}
        onChange={onChange}
        className="grid-cols-2 md:grid-cols-3"
        tiles={codes.map((code) => {
          const Icon = icons[code] ?? Smartphone
          const off = enabled.get(code) === false || Boolean(paused.get(code))
          const text = code === 'balance' ? buy.balanceHas(usd(balance)) : buy.methods[code]
          return {
            value: code,
            title: methodLabels[code],
            text: off ? (paused.get(code) ?? buy.methodDisabled) : text,
            disabled: off,
            leading: <Icon aria-hidden className="size-5 shrink-0 text-muted-foreground" />,
          }
        })}
      />
      {error ? (
        <div className="mt-2">
          <FieldErrorText id="method-error">{error}</FieldErrorText>
        </div>
      ) : null}
    </div>
  )
}
