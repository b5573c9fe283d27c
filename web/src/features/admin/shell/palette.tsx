import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { Failed, NothingFound } from '@/components/states/states'
import { Dialog, DialogContent } from '@/components/ui/dialog'
import { Input } from '@/components/ui/input'
import { Skeleton } from '@/components/ui/skeleton'
import { useUser } from '@/lib/session'
import { adminSearch as texts } from '@/messages/admin-search'
import { LEAST, pageOf, searchedOf, searchQuery } from './palette-hits'
import { type Choice, choicesFor, PaletteList } from './palette-list'

const TYPING_MS = 200

/** The search text: the input, once the typing pauses. */
function useSettled(typed: string): string {
  const [settled, setSettled] = useState(typed)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(typed), TYPING_MS)
    return () => clearTimeout(timer)
  }, [typed])
  return settled
}

/** The first in the dialog is its Close button; the input takes the focus instead. */
function focusInput(event: Event): void {
  event.preventDefault()
  if (event.target instanceof HTMLElement) event.target.querySelector('input')?.focus()
}

/** One search over everything that the admin may read, and the pages by name; fully usable by keyboard. */
export function Palette({ onClose }: { onClose: () => void }) {
  const [typed, setTyped] = useState('')
  const [opener] = useState(() => document.activeElement)
  const chosen = useRef(false)
  const navigate = useNavigate()
  const choose = ({ page, hit }: Choice) => {
    chosen.current = true
    onClose()
    void navigate(hit ? pageOf(hit) : { to: page?.to ?? '/admin' })
  }
  // After navigation the focus is on the next page's heading; after a dismissal, where it was.
  const giveFocusBack = (event: Event) => {
    event.preventDefault()
    const back =
      !chosen.current && opener?.isConnected && opener !== document.body
        ? opener
        : document.querySelector('h1')
    if (back instanceof HTMLElement) back.focus()
  }
  return (
    <Dialog open onOpenChange={(open) => (open ? undefined : onClose())}>
      <DialogContent
        title={texts.title}
        onOpenAutoFocus={focusInput}
        onCloseAutoFocus={giveFocusBack}
        className="top-0 bottom-auto rounded-t-none rounded-b-xl md:top-[12vh] md:max-w-xl md:translate-y-0"
      >
        <Finder typed={typed} onType={setTyped} onChoose={choose} />
      </DialogContent>
    </Dialog>
  )
}

interface FinderProps {
  typed: string
  onType: (typed: string) => void
  onChoose: (choice: Choice) => void
}

function Finder({ typed, onType, onChoose }: FinderProps) {
  const id = useId()
  const wanted = searchedOf(typed)
  const settled = useSettled(wanted)
  const search = useQuery(searchQuery(settled))
  const searching = wanted.length >= LEAST && (settled !== wanted || search.isFetching)
  const hits = searching || settled !== wanted ? [] : (search.data ?? [])
  const choices = choicesFor(wanted, useUser()?.permissions ?? [], hits)
  const [activeKey, setActiveKey] = useState('')
  const at = Math.max(
    0,
    choices.findIndex(({ key }) => key === activeKey),
  )
  const active = choices[at]
  const press = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step && choices.length > 0)
      setActiveKey(choices[(at + step + choices.length) % choices.length]?.key ?? '')
    else if (event.key === 'Enter' && active) onChoose(active)
    else return
    event.preventDefault()
  }
  const failed = search.error && !searching && wanted.length >= LEAST
  return (
    <>
      <Input
        role="combobox"
        aria-label={texts.label}
        aria-autocomplete="list"
        aria-expanded={choices.length > 0}
        aria-controls={`${id}-list`}
        aria-activedescendant={active ? `${id}-${active.key}` : undefined}
        placeholder={texts.placeholder}
        value={typed}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        onChange={(event) => {
          onType(event.target.value)
          setActiveKey('')
        }}
        onKeyDown={press}
      />
      <div className="mt-3 flex h-[min(26rem,60dvh)] flex-col">
        {failed ? (
          <Failed title={texts.failed} error={search.error} retry={() => void search.refetch()} />
        ) : null}
        <PaletteList id={id} choices={choices} active={active} onActive={setActiveKey} onChoose={onChoose} />
        {searching ? <Waiting /> : null}
        {choices.length === 0 && !searching && !failed ? (
          <NothingFound title={texts.nothing} hint={wanted.length < LEAST ? texts.more : texts.nothingHint} />
        ) : null}
      </div>
      <p role="status" className="mt-3 border-t pt-3 text-xs text-muted-foreground">
        {statusText(wanted, searching, hits.length)}
      </p>
    </>
  )
}

/** The place of the hits; the line below announces the search. */
function Waiting() {
  return (
    <div aria-hidden className="space-y-2 px-3 py-2">
      <Skeleton className="h-10" />
      <Skeleton className="h-10" />
    </div>
  )
}

function statusText(wanted: string, searching: boolean, hits: number): string {
  if (searching) return texts.searching
  if (wanted.length < LEAST) return texts.more
  return `${texts.found(hits)}. ${texts.keys}`
}
