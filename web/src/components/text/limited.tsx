import { type ComponentProps, type Ref, type RefObject, useEffect, useRef, useState } from 'react'
import { sizeOf } from '@/lib/clean'
import { cn } from '@/lib/cn'
import { count } from '@/lib/format'
import { limit as texts } from '@/messages/limit'
import { Input, Textarea } from '../ui/input'

interface Limit {
  /** The most characters, once cleaned. */
  limit: number
  value: string
}

/** From this share of the limit on, the characters that are left are of interest. */
const NEAR = 0.8

/**
 * A text that is too long stays as it was written, says so, and its form is not submitted, whatever submits it: the
 * event is stopped before the form's own handler.
 */
function useLimit(field: RefObject<HTMLInputElement | HTMLTextAreaElement | null>, { limit, value }: Limit) {
  const size = sizeOf(value)
  const over = size > limit
  const [name, setName] = useState('')
  useEffect(() => {
    const form = field.current?.form
    if (!over || !form) return
    setName(field.current?.labels?.[0]?.textContent ?? '')
    const stop = (event: Event) => {
      event.preventDefault()
      event.stopPropagation()
      field.current?.focus()
    }
    form.addEventListener('submit', stop, true)
    return () => form.removeEventListener('submit', stop, true)
  }, [over, field])
  return { size, over, name }
}

function Count({
  id,
  limit,
  size,
  over,
  name,
}: {
  id: string
  limit: number
  size: number
  over: boolean
  name: string
}) {
  if (size < limit * NEAR) return null
  return (
    <p
      id={id}
      role={over ? 'alert' : undefined}
      className={cn('text-sm', over ? 'font-medium text-danger-text' : 'text-muted-foreground')}
    >
      {over
        ? texts.over(name, count(size), count(limit), count(size - limit))
        : texts.left(count(size), count(limit))}
    </p>
  )
}

function marks(id: string, over: boolean, described: string | undefined, near: boolean) {
  return {
    ...(over ? { 'aria-invalid': true as const } : {}),
    ...(near ? { 'aria-describedby': [id, described].filter(Boolean).join(' ') } : {}),
  }
}

/** The field for the component itself, and for whoever else asked for it. */
function both<T>(own: RefObject<T | null>, other: Ref<T> | undefined) {
  return (node: T | null) => {
    own.current = node
    if (typeof other === 'function') other(node)
    else if (other) other.current = node
  }
}

/** Several lines of at most so many characters. */
export function LimitedText({ limit, value, ref, ...props }: ComponentProps<'textarea'> & Limit) {
  const field = useRef<HTMLTextAreaElement>(null)
  const state = useLimit(field, { limit, value })
  const id = `${props.id}-count`
  const near = state.size >= limit * NEAR
  return (
    <>
      <Textarea
        ref={both(field, ref)}
        {...props}
        {...marks(id, state.over, props['aria-describedby'], near)}
        value={value}
      />
      <Count id={id} limit={limit} {...state} />
    </>
  )
}

/** One line of at most so many characters. */
export function LimitedInput({ limit, value, ref, ...props }: ComponentProps<'input'> & Limit) {
  const field = useRef<HTMLInputElement>(null)
  const state = useLimit(field, { limit, value })
  const id = `${props.id}-count`
  const near = state.size >= limit * NEAR
  return (
    <>
      <Input
        ref={both(field, ref)}
        {...props}
        {...marks(id, state.over, props['aria-describedby'], near)}
        value={value}
      />
      <Count id={id} limit={limit} {...state} />
    </>
  )
}
