import type { ReactNode } from 'react'
import { cn } from '@/lib/cn'

/** Small labelled facts of a card, two columns where there is room. */
export function Facts({ children, className }: { children: ReactNode; className?: string }) {
  return (
    <dl className={cn('grid grid-cols-1 gap-x-6 gap-y-2 text-sm sm:grid-cols-2 md:text-dense', className)}>
      {children}
    </dl>
  )
}

export function Fact({ name, children, wide }: { name: string; children: ReactNode; wide?: boolean }) {
  return (
    <div className={cn('min-w-0 wrap-anywhere', wide && 'sm:col-span-2')}>
      <dt className="text-xs text-muted-foreground">{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
