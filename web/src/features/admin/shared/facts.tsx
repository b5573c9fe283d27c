import type { ReactNode } from 'react'
import { cn } from '@/lib/cn'

/** Small labelled facts of a card, in two columns. */
export function Facts({ children, className }: { children: ReactNode; className?: string }) {
  return (
    <dl
      className={cn(
        'grid grid-cols-2 gap-x-4 gap-y-2.5 text-sm max-md:[&_code]:text-xs md:gap-x-6 md:text-dense',
        className,
      )}
    >
      {children}
    </dl>
  )
}

interface FactProps {
  name: string
  children: ReactNode
  wide?: boolean
  className?: string
}

export function Fact({ name, children, wide, className }: FactProps) {
  return (
    <div className={cn('min-w-0 wrap-anywhere', wide && 'col-span-2', className)}>
      <dt className="text-xs text-muted-foreground">{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
