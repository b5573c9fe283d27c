import { Switch as Primitive } from 'radix-ui'
import type { ComponentProps } from 'react'
import { cn } from '@/lib/cn'

/** On or off, at once or with the form it stands in. Its label is a `<label htmlFor>` beside it. */
export function Switch({ className, ...props }: ComponentProps<typeof Primitive.Root>) {
  return (
    <Primitive.Root
      className={cn(
        'inline-flex h-6 w-11 shrink-0 items-center rounded-full border border-input bg-muted p-0.5 transition-colors',
        'data-[state=checked]:border-primary data-[state=checked]:bg-primary disabled:cursor-not-allowed disabled:opacity-60',
        className,
      )}
      {...props}
    >
      <Primitive.Thumb className="block size-4.5 rounded-full bg-card shadow-sm ring-1 ring-input transition-transform data-[state=checked]:translate-x-5" />
    </Primitive.Root>
  )
}
