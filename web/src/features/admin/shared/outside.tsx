import { ExternalLink } from 'lucide-react'
import { buttonVariants } from '@/components/ui/button-variants'
import { common } from '@/messages/common'

/** The way to where else something is seen, when there is one. */
export function Outside({ href, text }: { href: string | null; text: string }) {
  if (!href) return null
  return (
    <a
      href={href}
      target="_blank"
      rel="noreferrer"
      className={buttonVariants({ variant: 'link', size: 'sm', className: 'mt-3 px-0' })}
    >
      {text}
      <ExternalLink aria-hidden />
      <span className="sr-only"> ({common.openInNewTab})</span>
    </a>
  )
}
