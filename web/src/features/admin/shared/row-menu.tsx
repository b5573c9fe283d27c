import { Link, type LinkProps } from '@tanstack/react-router'
import { ChevronDown, Ellipsis } from 'lucide-react'
import { type KeyboardEvent, useId, useRef } from 'react'
import { Button } from '@/components/ui/button'
import { cn } from '@/lib/cn'
import { queue as texts } from '@/messages/admin-queue'
import { Key } from './keys'

export interface MenuItem {
  label: string
  /** The key that does the same on the row that has the focus. */
  shortcut?: string | undefined
  danger?: boolean
  run?: () => void
  link?: Pick<LinkProps, 'to' | 'params' | 'search'>
  href?: string
}

const item =
  'flex min-h-9 w-full items-center justify-between gap-4 rounded-sm px-2.5 text-left text-sm outline-none hover:bg-accent focus-visible:bg-accent'

interface RowMenuProps {
  /** What the row is called. */
  row: string
  items: readonly MenuItem[]
  /** Its button says what it is, where there is room for that. */
  named?: boolean
}

/** What else can be done about a row. It stands in the browser's top layer, so that no scrolling list cuts it off. */
export function RowMenu({ row, items, named }: RowMenuProps) {
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const menu = useRef<HTMLDivElement>(null)
  if (items.length === 0) return null
  const place = (open: boolean) => {
    const [at, own] = [button.current?.getBoundingClientRect(), menu.current]
    if (!open || !at || !own) return
    own.style.left = `${Math.max(8, at.right - own.offsetWidth)}px`
    const below = at.bottom + 4
    own.style.top = `${below + own.offsetHeight > innerHeight ? Math.max(8, at.top - own.offsetHeight - 4) : below}px`
    own.querySelector<HTMLElement>('[role=menuitem]')?.focus()
  }
  const walk = (event: KeyboardEvent<HTMLDivElement>) => {
    const all = [...event.currentTarget.querySelectorAll<HTMLElement>('[role=menuitem]')]
    const at = all.indexOf(document.activeElement as HTMLElement)
    const to = { ArrowDown: at + 1, ArrowUp: at - 1 + all.length, Home: 0, End: all.length - 1 }[event.key]
    if (event.key === 'Tab') menu.current?.hidePopover()
    // A key pressed in the menu is not a shortcut of the list below it.
    event.stopPropagation()
    if (to === undefined) return
    event.preventDefault()
    all[to % all.length]?.focus()
  }
  const close = () => {
    menu.current?.hidePopover()
    button.current?.focus()
  }
  return (
    <>
      <Button
        variant={named ? 'outline' : 'ghost'}
        size={named ? 'sm' : 'icon-sm'}
        ref={button}
        popoverTarget={id}
        aria-haspopup="menu"
        aria-label={texts.moreFor(row)}
        title={named ? undefined : texts.more}
      >
        {named ? texts.more : null}
        {named ? <ChevronDown aria-hidden /> : <Ellipsis aria-hidden />}
      </Button>
      <div
        ref={menu}
        id={id}
        popover="auto"
        role="menu"
        tabIndex={-1}
        aria-label={texts.moreFor(row)}
        onToggle={(event) => place(event.newState === 'open')}
        onKeyDown={walk}
        className="fixed inset-auto m-0 min-w-48 rounded-lg border bg-popover p-1 text-popover-foreground shadow-lg"
      >
        {items.map((one) => (
          <Item key={one.label} item={one} onChosen={close} />
        ))}
      </div>
    </>
  )
}

function Item({
  item: { label, shortcut, danger, run, link, href },
  onChosen,
}: {
  item: MenuItem
  onChosen: () => void
}) {
  const className = cn(item, danger && 'text-danger-text')
  const content = (
    <>
      {label}
      {shortcut ? <Key>{shortcut}</Key> : null}
    </>
  )
  if (link)
    return (
      <Link {...link} role="menuitem" tabIndex={-1} className={className}>
        {content}
      </Link>
    )
  if (href)
    return (
      <a href={href} target="_blank" rel="noreferrer" role="menuitem" tabIndex={-1} className={className}>
        {content}
      </a>
    )
  return (
    <button
      type="button"
      role="menuitem"
      tabIndex={-1}
      className={className}
      onClick={() => {
        onChosen()
        run?.()
      }}
    >
      {content}
    </button>
  )
}
