import { Building2, CreditCard, Globe, Landmark, type LucideIcon, Wallet } from 'lucide-react'

const icons: Record<string, LucideIcon> = {
  card: CreditCard,
  domestic_wire: Building2,
  international_wire: Globe,
  bank_transfer: Landmark,
  balance: Wallet,
}

/** Letters on a colour of our own: no brand's logo is copied. */
const monograms: Record<string, { text: string; fill: string }> = {
  paypal: { text: 'P', fill: '#1f4fa3' },
  zelle: { text: 'Z', fill: '#6a2fc0' },
  zelle_pay: { text: 'ZP', fill: '#6a2fc0' },
  chime: { text: 'C', fill: '#14783a' },
  revolut: { text: 'R', fill: '#22262e' },
}

/** A payment method's mark; its name always stands beside it. */
export function MethodMark({ method }: { method: string }) {
  const Icon = icons[method]
  if (Icon) return <Icon aria-hidden className="size-6 shrink-0 text-muted-foreground" />
  const mark = monograms[method]
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true" className="size-6 shrink-0">
      <rect width="24" height="24" rx="6" fill={mark?.fill ?? '#5b6472'} />
      <text
        x="12"
        y="16.500"
        textAnchor="middle"
        fontSize={mark?.text.length === 2 ? 10 : 13}
        fontWeight="700"
        fill="#fff"
      >
        {mark?.text}
      </text>
    </svg>
  )
}
