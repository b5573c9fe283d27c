import { useSearch } from '@tanstack/react-router'
import { SlidersHorizontal } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import { SearchBox } from '@/components/form/search-box'
import { Button } from '@/components/ui/button'
import { cn } from '@/lib/cn'
import { queue as texts } from '@/messages/admin-queue'
import { filtersSet } from './queue-filter'

/** A list's search. */
export interface Search {
  /** What it is called in the address. */
  name: string
  id: string
  label: string
  placeholder: string
  value: string | undefined
  /** Its width, from 768 px on. */
  className?: string
  onChange: (typed: string | undefined) => void
}

interface FilterFoldProps {
  /** What all of it stands in, from 768 px on. */
  className: string
  search?: Search | undefined
  /** What stands on the search's line, from 1,024 px on. */
  beside?: ReactNode
  children: ReactNode
}

/**
 * A list's search and filters. Below 768 px they are one line: the search, and a button with the number of filters set
 * that opens them.
 */
export function FilterFold({ className, search, beside, children }: FilterFoldProps) {
  const [open, setOpen] = useState(false)
  const id = useId()
  const set = filtersSet(useSearch({ strict: false }), search?.name)
  return (
    <search className={cn('max-md:flex max-md:w-full max-md:flex-wrap max-md:gap-2', className)}>
      {search || beside ? (
        <div
          className={cn(
            'min-w-0 md:order-1',
            search && 'max-md:flex-1',
            beside && 'ml-auto flex items-end gap-2',
            beside && search && 'max-w-120 grow basis-84',
          )}
        >
          {search ? (
            <div className={cn('min-w-0 max-md:[&_label]:sr-only', beside ? 'flex-1' : search.className)}>
              <SearchBox
                {...search}
                value={search.value ?? ''}
                onChange={(typed) => search.onChange(typed || undefined)}
              />
            </div>
          ) : null}
          {beside}
        </div>
      ) : null}
      <Button
        variant="outline"
        className={cn('md:hidden', !search && 'w-full')}
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
      >
        <SlidersHorizontal aria-hidden />
        {texts.filters(set)}
      </Button>
      <div
        id={id}
        className={cn('max-md:basis-full max-md:space-y-3 max-md:pt-1 md:contents', !open && 'max-md:hidden')}
      >
        {children}
      </div>
    </search>
  )
}
