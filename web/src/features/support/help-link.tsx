import { Link } from '@tanstack/react-router'
import { LifeBuoy } from 'lucide-react'
import { buttonVariants } from '@/components/ui/button-variants'
import { cn } from '@/lib/cn'
import { account } from '@/messages/account'

interface HelpLinkProps {
  /** What the ticket will be about; of anything else the reference stands in its message. */
  order?: string
  card?: string
  reference: string
  /** Beside other buttons, or alone. */
  button?: boolean
  className?: string
}

/** Opens a ticket that already says what it is about. A narrow screen breaks the line before the reference, never within. */
export function HelpLink({ order, card, reference, button = false, className }: HelpLinkProps) {
  return (
    <Link
      to="/support"
      search={{ order, card, about: reference }}
      className={cn(
        buttonVariants(button ? { variant: 'outline', size: 'sm' } : { variant: 'link' }),
        'max-w-full text-left whitespace-normal',
        button && 'h-auto min-h-9 py-1 md:h-auto md:min-h-8',
        className,
      )}
    >
      <LifeBuoy aria-hidden />
      <span>
        {account.getHelp} <span className="whitespace-nowrap">{reference}</span>
      </span>
    </Link>
  )
}
