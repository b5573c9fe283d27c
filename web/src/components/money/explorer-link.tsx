import { ExternalLink } from 'lucide-react'
import { cn } from '@/lib/cn'
import { common } from '@/messages/common'
import { orders } from '@/messages/orders'

interface ExplorerLinkProps {
  href: string | null
  /** The icon alone, for a row without room for text. */
  bare?: boolean
  className?: string
}

/** The way to a transaction's page at an explorer, where there is one. */
export function ExplorerLink({ href, bare, className }: ExplorerLinkProps) {
  if (!href) return null
  return (
    <a
      href={href}
      target="_blank"
      rel="noreferrer"
      className={cn(
        'relative inline-flex min-h-6 items-center gap-1.5 underline underline-offset-4',
        className,
      )}
    >
      <span className={bare ? 'sr-only' : ''}>{orders.explorer}</span>
      <ExternalLink aria-hidden className="size-4" />
      <span className="sr-only">({common.openInNewTab})</span>
    </a>
  )
}
