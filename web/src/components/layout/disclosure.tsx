import { useLocation } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef } from 'react'

interface DisclosureProps {
  summary: ReactNode
  /** What the summary is called, where its content does not say it. */
  label?: string
  className?: string
  summaryClassName: string
  panelClassName: string
  children: ReactNode
}

/**
 * A native disclosure that hangs below its summary: works before any script has run, and closes on navigation, on
 * Escape, and when the focus or the pointer goes elsewhere.
 */
export function Disclosure({
  summary,
  label,
  className,
  summaryClassName,
  panelClassName,
  children,
}: DisclosureProps) {
  const details = useRef<HTMLDetailsElement>(null)
  const href = useLocation({ select: (location) => location.href })
  // biome-ignore lint/correctness/useExhaustiveDependencies: closes whenever the address changes, not before: it may be open when the page comes to life
  useEffect(
    () => () => {
      if (details.current) details.current.open = false
    },
    [href],
  )
  useEffect(() => {
    const leave = (event: Event) => {
      const own = details.current
      if (own?.open && !own.contains(event.target as Node)) own.open = false
    }
    const close = (event: KeyboardEvent) => {
      const own = details.current
      if (event.key !== 'Escape' || !own?.open) return
      own.open = false
      own.querySelector('summary')?.focus()
    }
    document.addEventListener('focusin', leave)
    document.addEventListener('pointerdown', leave)
    document.addEventListener('keydown', close)
    return () => {
      document.removeEventListener('focusin', leave)
      document.removeEventListener('pointerdown', leave)
      document.removeEventListener('keydown', close)
    }
  }, [])
  return (
    <details ref={details} className={className}>
      <summary aria-label={label} className={summaryClassName}>
        {summary}
      </summary>
      <div className={panelClassName}>{children}</div>
    </details>
  )
}
