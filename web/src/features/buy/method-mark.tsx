import { Building2, CreditCard, Globe, Landmark, type LucideIcon, Wallet } from 'lucide-react'
import { siPaypal, siRevolut, siZelle } from 'simple-icons'

/** Drawn for the kind of payment, where there is no brand or no mark of it that we may use. */
const icons: Record<string, LucideIcon> = {
  card: CreditCard,
  domestic_wire: Building2,
  international_wire: Globe,
  bank_transfer: Landmark,
  balance: Wallet,
  chime: Landmark,
}

const brands: Record<string, { path: string; hex: string }> = {
  paypal: siPaypal,
  zelle: siZelle,
  zelle_pay: siZelle,
  revolut: siRevolut,
}

/** A payment method's mark; its name always stands beside it. */
export function MethodMark({ method }: { method: string }) {
  const brand = brands[method]
  const Icon = icons[method] ?? CreditCard
  if (!brand) return <Icon aria-hidden className="size-6 shrink-0 text-muted-foreground" />
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true" className="size-6 shrink-0">
      <rect width="24" height="24" rx="6" fill={`#${brand.hex}`} />
      <path d={brand.path} transform="translate(4.8 4.8) scale(0.6)" fill="#fff" />
    </svg>
  )
}
