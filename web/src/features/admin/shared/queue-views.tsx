import { useLocation, useNavigate } from '@tanstack/react-router'
import { Bookmark, Columns3, type LucideIcon, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Disclosure } from '@/components/layout/disclosure'
import { Button } from '@/components/ui/button'
import { buttonVariants } from '@/components/ui/button-variants'
import { Input } from '@/components/ui/input'
import { queue as texts } from '@/messages/admin-queue'

const panel =
  'absolute top-full right-0 z-20 mt-1 w-64 rounded-lg border bg-popover p-2 text-sm text-popover-foreground shadow-lg'
const summary = `${buttonVariants({ variant: 'outline', size: 'sm' })} cursor-pointer list-none [&::-webkit-details-marker]:hidden`

interface ColumnsProps {
  all: readonly { key: string; name: string }[]
  shown: readonly string[]
}

/** A button with a short label where there is room, and else with its icon alone. */
function Name({ icon: Icon, children }: { icon: LucideIcon; children: string }) {
  return (
    <span className="flex items-center gap-2" title={children}>
      <Icon aria-hidden />
      <span className="max-2xl:sr-only">{children}</span>
    </span>
  )
}

/** The columns of the table that its width hides. */
function hiddenNow(): readonly string[] {
  return [...document.querySelectorAll<HTMLElement>('th[data-column]')]
    .filter((head) => getComputedStyle(head).display === 'none')
    .map((head) => head.dataset.column ?? '')
}

/** Which columns a queue shows: ticked is what can be seen. The choice stands in the address. */
export function ColumnChoice({ all, shown: wanted }: ColumnsProps) {
  const navigate = useNavigate()
  const [hidden, setHidden] = useState<readonly string[]>([])
  useEffect(() => {
    const look = () => setHidden(hiddenNow)
    window.addEventListener('resize', look)
    document.addEventListener('toggle', look, true) // as the list is opened
    return () => {
      window.removeEventListener('resize', look)
      document.removeEventListener('toggle', look, true)
    }
  }, [])
  const shown = wanted.filter((key) => !hidden.includes(key))
  const set = (keys: readonly string[] | undefined) =>
    void navigate({
      to: '.',
      search: (before: object) => ({ ...before, cols: keys?.join(',') || undefined }),
      replace: true,
      resetScroll: false,
    })
  return (
    <Disclosure
      className="relative"
      summaryClassName={summary}
      panelClassName={panel}
      summary={<Name icon={Columns3}>{texts.columns}</Name>}
    >
      {all.map(({ key, name }) => (
        <label key={key} className="flex min-h-8 items-center gap-2.5 rounded-sm px-2 hover:bg-accent">
          <input
            type="checkbox"
            checked={shown.includes(key)}
            onChange={(event) =>
              set(
                all
                  .map((one) => one.key)
                  .filter((one) => (one === key ? event.target.checked : shown.includes(one))),
              )
            }
            className="size-4 accent-primary"
          />
          {name}
        </label>
      ))}
      <Button variant="ghost" size="sm" className="mt-1 w-full" onClick={() => set(undefined)}>
        {texts.standard}
      </Button>
    </Disclosure>
  )
}

interface View {
  name: string
  search: string
}

function readViews(key: string): View[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? '[]')
    return Array.isArray(stored)
      ? stored.filter((one): one is View => typeof one?.name === 'string' && typeof one?.search === 'string')
      : []
  } catch {
    return []
  }
}

/** Names for addresses of this list. What a view is stands in its address; only the names are kept in this browser. */
function SavedViews() {
  const { pathname, searchStr } = useLocation()
  const key = `views:${pathname}`
  const [views, setViews] = useState(() => readViews(key))
  const [name, setName] = useState('')
  const keep = (changed: View[]) => {
    setViews(changed)
    try {
      localStorage.setItem(key, JSON.stringify(changed))
    } catch {
      // The names last for this page.
    }
  }
  return (
    <Disclosure
      className="relative"
      summaryClassName={summary}
      panelClassName={panel}
      summary={<Name icon={Bookmark}>{texts.views}</Name>}
    >
      {views.length === 0 ? <p className="px-2 py-1 text-muted-foreground">{texts.noViews}</p> : null}
      <ul>
        {views.map((view) => (
          <li key={view.name} className="flex items-center gap-1">
            <a
              href={`${pathname}${view.search}`}
              className="min-w-0 flex-1 truncate rounded-sm px-2 py-1.5 hover:bg-accent"
            >
              {view.name}
            </a>
            <Button
              variant="ghost"
              size="icon-sm"
              aria-label={texts.removeView(view.name)}
              onClick={() => keep(views.filter((one) => one.name !== view.name))}
            >
              <X aria-hidden />
            </Button>
          </li>
        ))}
      </ul>
      <form
        className="mt-2 flex gap-2 border-t pt-2"
        onSubmit={(event) => {
          event.preventDefault()
          const wanted = name.trim()
          if (!wanted) return
          keep([...views.filter((one) => one.name !== wanted), { name: wanted, search: searchStr }])
          setName('')
        }}
      >
        <Input
          aria-label={texts.viewName}
          placeholder={texts.viewName}
          value={name}
          onChange={(event) => setName(event.target.value)}
          className="h-8"
        />
        <Button type="submit" size="sm" variant="outline">
          {texts.saveView}
        </Button>
      </form>
    </Disclosure>
  )
}

/** The views that were saved of a list, and its columns. */
export default function QueueViews(props: ColumnsProps) {
  return (
    <>
      <SavedViews />
      <ColumnChoice {...props} />
    </>
  )
}
