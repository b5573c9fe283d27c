import { ChevronDown } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import { cn } from '@/lib/cn'
import { usePhone } from '@/lib/wide'

interface FoldProps {
  title: string
  level?: 'h2' | 'h3'
  /** The heading's, for what is labelled by it. */
  id?: string
  headingClassName?: string
  /** What stands beside the heading. */
  beside?: ReactNode
  /** What is said below it, folded or not. */
  lead?: ReactNode
  /** Open from the start. */
  first?: boolean
  /** Open whatever was pressed: what is inside is being worked on. */
  held?: boolean
  children: ReactNode
}

/** A part of a page below its heading. Below 768 px the heading opens and folds it; folded, it keeps what was entered. */
export function Fold(props: FoldProps) {
  const {
    title,
    level: Heading = 'h2',
    id,
    headingClassName,
    beside,
    lead,
    first = false,
    held = false,
  } = props
  const phone = usePhone()
  const [open, setOpen] = useState(first)
  const panel = useId()
  const shown = !phone || open || held
  return (
    <>
      <div className="flex items-start justify-between gap-3">
        <div className="min-w-0 grow">
          <Heading id={id} className={cn('text-lg', headingClassName)}>
            {phone ? (
              <button
                type="button"
                aria-expanded={shown}
                aria-controls={panel}
                onClick={() => setOpen(!open)}
                className="flex min-h-11 w-full items-center gap-2 rounded-sm text-left wrap-anywhere"
              >
                {title}
                <ChevronDown
                  aria-hidden
                  className={cn('size-4 shrink-0 text-muted-foreground', shown && 'rotate-180')}
                />
              </button>
            ) : (
              title
            )}
          </Heading>
          {lead}
        </div>
        {beside}
      </div>
      <div id={panel} hidden={!shown}>
        {props.children}
      </div>
    </>
  )
}
