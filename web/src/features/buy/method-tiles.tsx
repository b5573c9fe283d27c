import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import type { BuyMethod } from '@/api/types.gen'
import { FieldErrorText } from '@/components/form/field'
import { Tiles } from '@/components/form/tiles'
import { Notice } from '@/components/states/states'
import { Button } from '@/components/ui/button'
import { percent, usd } from '@/lib/format'
import { isPositive } from '@/lib/money'
import { useOffered } from '@/lib/offer'
import { buy } from '@/messages/buy'
import { methodLabels } from '@/messages/common'
import { MethodMark } from './method-mark'
import { limitsQuery } from './queries'

/** specification §9's nine methods, in its order, and the balance. */
export const buyMethods = Object.keys(buy.methods)

/** What is offered before "more ways". */
const first: readonly string[] = ['card', 'domestic_wire', 'bank_transfer', 'balance']

/** "3.5% + $5.00" of this customer's own price. */
function feeOf(method: BuyMethod): string {
  const parts = [
    isPositive(method.margin) ? percent(method.margin) : '',
    isPositive(method.processingFee) ? usd(method.processingFee) : '',
  ]
  return parts.filter(Boolean).join(' + ') || buy.noFee
}

interface MethodTilesProps {
  balance: string
  value: string
  error: string | undefined
  onChange: (method: string) => void
}

/** Those offered of the nine, and the balance as a tenth while there is one and it may be spent. */
export function useWays(balance: string): { codes: readonly string[]; known: Map<string, BuyMethod> } {
  const { data: limits } = useQuery(limitsQuery)
  const known = new Map(limits?.methods.map((method) => [method.method, method]))
  const spendable = isPositive(balance) && known.get('balance')?.isEnabled === true
  const codes = buyMethods
    .filter((code) => (code === 'balance' ? spendable : known.get(code)?.isEnabled !== false))
    .filter(useOffered('rails'))
  return { codes, known }
}

/** The ways to pay. A disabled one is hidden; one that is paused says why; where none is left, that is said. */
export function MethodTiles({ balance, value, error, onChange }: MethodTilesProps) {
  const [all, setAll] = useState(false)
  const { codes, known } = useWays(balance)
  if (codes.length === 0) return <NoMethods />
  const few = codes.length <= first.length
  const shown = codes.filter((code) => all || few || first.includes(code) || code === value)
  return (
    <div>
      <Tiles
        name="method"
        legend={buy.stepMethod}
        value={value}
        onChange={onChange}
        className="grid-cols-1 sm:grid-cols-2 md:grid-cols-3"
        tiles={shown.map((code) => {
          const method = known.get(code)
          const off = method?.paused
          const when = code === 'balance' ? buy.balanceHas(usd(balance)) : buy.methods[code]
          return {
            value: code,
            title: methodLabels[code],
            text: off ? off : [method ? feeOf(method) : '', when].filter(Boolean).join(' · '),
            disabled: Boolean(off),
            leading: <MethodMark method={code} />,
          }
        })}
      />
      {shown.length < codes.length ? (
        <Button variant="link" className="mt-2 h-auto min-h-6" onClick={() => setAll(true)}>
          {buy.moreWays}
        </Button>
      ) : null}
      <p className="mt-2 text-xs text-muted-foreground">{buy.timings}</p>
      {error ? (
        <div className="mt-2">
          <FieldErrorText id="method-error">{error}</FieldErrorText>
        </div>
      ) : null}
    </div>
  )
}

function NoMethods() {
  return (
    <>
      <h2 className="mb-3 text-base font-semibold">{buy.stepMethod}</h2>
      <Notice tone="pending" icon={TriangleAlert} role="status" title={buy.noMethodsTitle}>
        {buy.noMethodsText}{' '}
        <Link to="/support" className="font-semibold underline underline-offset-4">
          {buy.kycFinalLink}
        </Link>
      </Notice>
    </>
  )
}
