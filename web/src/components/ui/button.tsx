import type { VariantProps } from 'class-variance-authority'
import { Slot } from 'radix-ui'
import { type ComponentProps, useEffect, useRef } from 'react'
import { cn } from '@/lib/cn'
import { buttonVariants } from './button-variants'

type ButtonProps = ComponentProps<'button'> & VariantProps<typeof buttonVariants> & { asChild?: boolean }

/**
 * A button that is disabled while its request is in flight loses the focus, and a screen reader starts at the
 * top of the page. Once enabled it takes the focus again, unless another element has it.
 */
function useKeptPlace(disabled: boolean | undefined) {
  const own = useRef<HTMLButtonElement>(null)
  const lost = useRef(false)
  useEffect(() => {
    const button = own.current
    const note = () => {
      lost.current = button?.disabled ?? false
    }
    // React dispatches no events while it changes the page.
    button?.addEventListener('blur', note)
    return () => button?.removeEventListener('blur', note)
  }, [])
  useEffect(() => {
    const { activeElement, body } = document
    if (!disabled && lost.current && activeElement === body) own.current?.focus({ preventScroll: true })
  }, [disabled])
  return own
}

export function Button({ className, variant, size, asChild = false, type, ...props }: ButtonProps) {
  const Component = asChild ? Slot.Root : 'button'
  const own = useKeptPlace(props.disabled)
  return (
    <Component
      ref={own}
      className={cn(buttonVariants({ variant, size }), className)}
      {...(asChild ? {} : { type: type ?? 'button' })}
      {...props}
    />
  )
}
