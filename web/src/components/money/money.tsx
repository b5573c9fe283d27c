import type { ReactNode } from 'react'
import { cn } from '@/lib/cn'
import { crypto, usd } from '@/lib/format'

export function Usd({ amount, className }: { amount: string | null | undefined; className?: string }) {
  return <span className={cn('tabular-nums', className)}>{usd(amount)}</span>
}

export function CryptoAmount({
  amount,
  asset,
  className,
}: {
  amount: string
  asset: string
  className?: string
}) {
  return (
    <span className={cn('tabular-nums', className)}>
      {crypto(amount)} {asset}
    </span>
  )
}

/** Name and value pairs: receipts, price lines, details. */
export function Pairs({ children, className }: { children: ReactNode; className?: string }) {
  return <dl className={cn('space-y-2 text-sm', className)}>{children}</dl>
}

interface PairProps {
  name: ReactNode
  children: ReactNode
  strong?: boolean
}

export function Pair({ name, children, strong }: PairProps) {
  return (
    <div
      className={cn(
        'flex items-baseline justify-between gap-4',
        strong && 'text-base font-semibold not-first:border-t not-first:pt-3',
      )}
    >
      {/* The name gives way first, between its words: an amount is not broken while it can. */}
      <dt className={cn('shrink-9999', !strong && 'text-muted-foreground')}>{name}</dt>
      <dd className="min-w-0 text-right text-balance tabular-nums">{children}</dd>
    </div>
  )
}

/** One figure with its name. */
export function Stat({ name, children, hint }: { name: string; children: ReactNode; hint?: ReactNode }) {
  return (
    <div className="@container min-w-0 rounded-lg border bg-card px-4 py-3 md:p-5">
      <dt className="text-sm text-muted-foreground">{name}</dt>
      <dd className="text-base font-semibold tabular-nums wrap-anywhere md:mt-1 @[8rem]:text-lg md:@[11rem]:text-xl">
        {children}
      </dd>
      {hint ? <dd className="mt-1 text-xs text-muted-foreground">{hint}</dd> : null}
    </div>
  )
}
