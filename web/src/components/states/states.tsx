import { CircleAlert, type LucideIcon, SearchX } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { cn } from '@/lib/cn'
import { failureOf } from '@/lib/http'
import { common } from '@/messages/common'
import { Button } from '../ui/button'
import { Skeleton } from '../ui/skeleton'

/** Loading, nothing yet, nothing found, error with retry: four states, each drawn differently (WEB.md). */

/** The delay after which a loading screen is reported as slow. */
const SLOW_MS = 10_000

/** Shown after a moment (app.css): what is there at once does not flicker. */
export function LoadingRows({ rows = 3, className }: { rows?: number; className?: string }) {
  const [slow, setSlow] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), SLOW_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div role="status" className={cn('after-a-moment space-y-3', className)}>
      {slow ? (
        <p className="text-sm text-muted-foreground">{common.slow}</p>
      ) : (
        <span className="sr-only">{common.loading}</span>
      )}
      {Array.from({ length: rows }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: identical placeholders
        <Skeleton key={index} className="h-24 w-full" />
      ))}
    </div>
  )
}

interface EmptyProps {
  title: string
  hint?: string
  icon?: LucideIcon
  action?: ReactNode
  className?: string
}

export function NothingYet({ title, hint, icon: Icon, action, className }: EmptyProps) {
  return (
    <div className={cn('flex flex-col items-center px-4 py-12 text-center', className)}>
      {Icon ? (
        <span className="mb-4 grid size-12 place-items-center rounded-full bg-primary-tint text-primary">
          <Icon aria-hidden className="size-6" />
        </span>
      ) : null}
      <p className="text-base font-medium">{title}</p>
      {hint ? <p className="mt-1 max-w-prose text-sm text-balance text-muted-foreground">{hint}</p> : null}
      {action ? <div className="mt-5">{action}</div> : null}
    </div>
  )
}

export function NothingFound({ title, hint, action, className }: EmptyProps) {
  return (
    <div className={cn('flex flex-col items-center px-4 py-10 text-center', className)}>
      <SearchX aria-hidden className="mb-3 size-6 text-muted-foreground" />
      <p className="text-base font-medium">{title}</p>
      {hint ? <p className="mt-1 text-sm text-muted-foreground">{hint}</p> : null}
      {action ? <div className="mt-4">{action}</div> : null}
    </div>
  )
}

interface FailedProps {
  title: string
  error: unknown
  retry: () => void
  className?: string
}

export function Failed({ title, error, retry, className }: FailedProps) {
  const detail = failureOf(error)
  return (
    <div
      role="alert"
      className={cn(
        'flex flex-col items-start gap-3 rounded-lg bg-danger-tint p-4 text-danger-text',
        className,
      )}
    >
      <div className="flex gap-3">
        <CircleAlert aria-hidden className="mt-0.5 size-5 shrink-0" />
        <div>
          <p className="text-sm font-semibold">{title}</p>
          {detail !== title ? <p className="mt-0.5 text-sm">{detail}</p> : null}
        </div>
      </div>
      <Button variant="outline" size="sm" onClick={retry}>
        {common.retry}
      </Button>
    </div>
  )
}

type NoticeTone = 'info' | 'pending' | 'success' | 'danger'

const notices: Record<NoticeTone, string> = {
  info: 'bg-info-tint text-info-text',
  pending: 'bg-pending-tint text-pending-text',
  success: 'bg-success-tint text-success-text',
  danger: 'bg-danger-tint text-danger-text',
}

interface NoticeProps {
  tone: NoticeTone
  icon: LucideIcon
  title: string
  children?: ReactNode
  role?: 'alert' | 'status'
  className?: string
}

export function Notice({ tone, icon: Icon, title, children, role, className }: NoticeProps) {
  return (
    <div role={role} className={cn('flex gap-3 rounded-lg p-4', notices[tone], className)}>
      <Icon aria-hidden className="mt-0.5 size-5 shrink-0" />
      <div className="min-w-0 flex-1 text-sm wrap-anywhere">
        <p className="font-semibold">{title}</p>
        {children ? <div className="mt-0.5">{children}</div> : null}
      </div>
    </div>
  )
}
