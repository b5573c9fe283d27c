import { useLocation } from '@tanstack/react-router'
import { ChevronDown } from 'lucide-react'
import { type ReactNode, useContext, useId, useState } from 'react'
import { cn } from '@/lib/cn'
import { Button } from '../ui/button'
import { FoldedWide } from './folded'

interface FoldProps {
  /** The anchor that opens it: a link to the anchor leads to its content. */
  of: string
  label: string
  children: ReactNode
}

/** Long content, closed on a phone until it is opened. Wider windows have it open, unless the page says otherwise. */
export function Fold({ of, label, children }: FoldProps) {
  const asked = useLocation({ select: ({ hash }) => hash === of })
  const foldedWide = useContext(FoldedWide)
  const [chosen, setChosen] = useState<boolean>()
  const open = chosen ?? asked
  const id = useId()
  return (
    <>
      <Button
        variant="outline"
        aria-expanded={open}
        aria-controls={id}
        className={cn('mt-4 w-full', !foldedWide && 'md:hidden')}
        onClick={() => setChosen(!open)}
      >
        {label}
        <ChevronDown aria-hidden className={cn(open && 'rotate-180')} />
      </Button>
      <div id={id} className={cn(!open && (foldedWide ? 'hidden' : 'max-md:hidden'))}>
        {children}
      </div>
    </>
  )
}
