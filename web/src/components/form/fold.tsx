import { useLocation } from '@tanstack/react-router'
import { ChevronDown } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import { cn } from '@/lib/cn'
import { Button } from '../ui/button'

interface FoldProps {
  /** The anchor that opens it: a link to the anchor leads to its content. */
  of: string
  label: string
  children: ReactNode
}

/** Long content, closed on a phone until it is opened; wider windows have it open. */
export function Fold({ of, label, children }: FoldProps) {
  const asked = useLocation({ select: ({ hash }) => hash === of })
  const [chosen, setChosen] = useState<boolean>()
  const open = chosen ?? asked
  const id = useId()
  return (
    <>
      <Button
        variant="outline"
        aria-expanded={open}
        aria-controls={id}
        className="mt-4 w-full md:hidden"
        onClick={() => setChosen(!open)}
      >
        {label}
        <ChevronDown aria-hidden className={cn(open && 'rotate-180')} />
      </Button>
      <div id={id} className={cn(!open && 'max-md:hidden')}>
        {children}
      </div>
    </>
  )
}
