import { useSearch } from '@tanstack/react-router'
import { SlidersHorizontal } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import { Button } from '@/components/ui/button'
import { cn } from '@/lib/cn'
import { queue as texts } from '@/messages/admin-queue'
import { filtersSet } from './queue-view'

interface FilterFoldProps {
  className: string
  children: ReactNode
}

/** A list's filters. Below 768 px they wait behind one button with the number of those set, so that rows come first. */
export function FilterFold({ className, children }: FilterFoldProps) {
  const [open, setOpen] = useState(false)
  const id = useId()
  const set = filtersSet(useSearch({ strict: false }))
  return (
    <>
      <Button
        variant="outline"
        className="w-full md:hidden"
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
      >
        <SlidersHorizontal aria-hidden />
        {texts.filters(set)}
      </Button>
      <search id={id} className={cn(className, !open && 'max-md:hidden')}>
        {children}
      </search>
    </>
  )
}
