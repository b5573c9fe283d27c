import type { ComponentProps } from 'react'
import { cn } from '@/lib/cn'

export function Card({ className, ...props }: ComponentProps<'section'>) {
  return (
    <section
      className={cn('min-w-0 rounded-lg border bg-card p-4 text-card-foreground md:p-6', className)}
      {...props}
    />
  )
}

export function CardTitle({ className, children, ...props }: ComponentProps<'h2'>) {
  return (
    <h2 className={cn('text-lg', className)} {...props}>
      {children}
    </h2>
  )
}

export function CardLead({ className, ...props }: ComponentProps<'p'>) {
  return <p className={cn('mt-1 text-sm text-pretty text-muted-foreground', className)} {...props} />
}
