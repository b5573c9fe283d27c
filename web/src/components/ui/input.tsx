import type { ComponentProps } from 'react'
import { cn } from '@/lib/cn'

const field = [
  'w-full min-w-0 rounded-md border border-input bg-card px-3 text-base text-foreground placeholder:text-muted-foreground',
  'disabled:cursor-not-allowed disabled:border-border disabled:bg-muted disabled:text-muted-foreground aria-invalid:border-destructive',
]

export function Input({ className, ...props }: ComponentProps<'input'>) {
  return <input className={cn(field, 'h-11 md:h-10', className)} {...props} />
}

export function Textarea({ className, ...props }: ComponentProps<'textarea'>) {
  return <textarea className={cn(field, 'min-h-24 py-2', className)} {...props} />
}

/** The platform's own select, best on phones and nothing to load, with our arrow (app.css). */
export function Select({ className, children, ...props }: ComponentProps<'select'>) {
  return (
    <select className={cn(field, 'select-arrow h-11 truncate pr-9 md:h-10', className)} {...props}>
      {children}
    </select>
  )
}

export function Label({
  className,
  htmlFor,
  children,
  ...props
}: ComponentProps<'label'> & { htmlFor: string }) {
  return (
    <label htmlFor={htmlFor} className={cn('block text-sm font-medium', className)} {...props}>
      {children}
    </label>
  )
}
