// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, type ReactNode, useState } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { LimitedText } from '@/components/text/limited'
import { Dialog, DialogContent } from '@/components/ui/dialog'
import { userQuery } from '@/lib/session'
import { defaultUser } from '@/lib/session.fixture'
import { DecisionDialog } from './decision-dialog'
import { dialogsWithTextArea } from './dialogs.fixture'
import { Notes } from './notes'

// It parses hundreds of modules.
vi.setConfig({ testTimeout: 60_000 })

const sources = import.meta.glob<string>(['/src/**/*.tsx', '!/src/**/*.test.tsx'], {
  query: '?raw',
  import: 'default',
  eager: true,
})

let root: Root | undefined
const confirmed = vi.fn()

const decision = { mutate: confirmed, isPending: false, refusal: undefined, dialog: null }
const words = { title: 'Decline it?', text: '$20.00 of Casey Lin', confirm: 'Decline', onClose: () => {} }
const reason = { label: 'Reason', placeholder: 'What was wrong' }

function close(): void {
  act(() => root?.unmount())
  root = undefined
}

/** Draws a dialog anew, as if nothing had ever been written in it. */
function show(dialog: ReactNode): void {
  close()
  sessionStorage.clear()
  document.body.innerHTML = '<main></main>'
  const client = new QueryClient()
  client.setQueryData(userQuery.queryKey, defaultUser)
  const made = createRoot(document.querySelector('main') as HTMLElement)
  root = made
  act(() => made.render(<QueryClientProvider client={client}>{dialog}</QueryClientProvider>))
}

beforeEach(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
  confirmed.mockClear()
})

afterEach(close)

const within = (what: string) => document.querySelectorAll<HTMLElement>(`[role=dialog] :is(${what})`)

function write(text: string): void {
  const [field] = within('textarea')
  act(() => {
    Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value')?.set?.call(field, text)
    field?.dispatchEvent(new Event('input', { bubbles: true }))
  })
}

const press = (target: HTMLElement, modifier: object) =>
  act(async () => {
    target.focus()
    target.dispatchEvent(
      new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true, ...modifier }),
    )
  })

interface Shown {
  /** Opens it, ready to be confirmed. */
  open: () => void
  /** What it is confirmed with. */
  given: string
  /** Where the focus is when it is: wherever it can be. */
  places?: string
}

/** Presses Ctrl-Enter and ⌘-Enter at each place: each confirms once. */
async function expectConfirmed({ open, given, places = 'button, input, select, textarea' }: Shown) {
  open()
  const all = within(places).length
  expect(all).toBeGreaterThan(0)
  for (let at = 0; at < all; at += 1)
    for (const modifier of [{ ctrlKey: true }, { metaKey: true }]) {
      open()
      confirmed.mockClear()
      const place = within(places)[at] as HTMLElement
      await press(place, modifier)
      expect(confirmed, place.outerHTML).toHaveBeenCalledExactlyOnceWith(given)
    }
}

function Remark() {
  const [text, setText] = useState('')
  return <LimitedText id="remark" limit={20} value={text} onChange={(event) => setText(event.target.value)} />
}

/** How each dialog with a text area is shown here. A new one needs an entry, and Ctrl-Enter. */
const shown: Record<string, Shown> = {
  'features/admin/shared/decision-dialog#DecisionDialog': {
    open: () => {
      show(<DecisionDialog {...words} destructive reason={reason} decision={decision} />)
      write('The card is worn')
    },
    given: 'The card is worn',
  },
  // What is written in the drawer is a note among staff, and confirmed in its own form.
  'features/admin/orders/order-drawer#OrderDrawer': {
    open: () => {
      const add = async (note: string) => confirmed(note)
      show(
        <Dialog open>
          <DialogContent title="TP-TEST">
            <Notes about="1" notes={[]} add={add} onAdded={() => {}} />
          </DialogContent>
        </Dialog>,
      )
      write('Called back')
    },
    given: 'Called back',
    places: 'form textarea, form button',
  },
}

describe('every dialog with a text area', () => {
  const found = dialogsWithTextArea(sources)

  test('is found, also where another component draws it', () => {
    const own = found.filter(({ frame }) => !shown[frame]).map(({ owner }) => owner)
    expect(new Set(own)).toEqual(new Set(Object.keys(shown)))
    const made = {
      '/src/a.tsx': `import { DialogContent } from '@/components/ui/dialog'
        export function Frame({ children }) { return <DialogContent>{children}</DialogContent> }`,
      '/src/deep/b.tsx': 'export function Note() { return <p><Field>{() => <textarea />}</Field></p> }',
      '/src/c.tsx': `import { Frame } from './a'
        const Note = lazy(async () => ({ default: (await import('./deep/b')).Note }))
        export function Asked() { return <Frame><Note /></Frame> }`,
      '/src/d.tsx': `import { Note } from './deep/b'
        import { Frame } from './a'
        export const Plain = () => <form><Note /><Frame>Sure?</Frame></form>`,
    }
    expect(dialogsWithTextArea(made)).toEqual([{ owner: 'c#Asked', frame: 'a#Frame' }])
  })

  test.each(found)('$owner is confirmed by Ctrl-Enter', async ({ owner, frame }) => {
    // A frame that is shown here confirms also with what others put into it.
    const one = shown[owner] ?? shown[frame]
    expect(one, `${owner} is not shown here`).toBeDefined()
    if (one) await expectConfirmed(one)
  })
})

describe('Ctrl-Enter', () => {
  test.each<[string, ReactNode]>([
    ['without a reason', <DecisionDialog key="a" {...words} decision={decision} />],
    ['destructive, without a field', <DecisionDialog key="b" {...words} destructive decision={decision} />],
    [
      'with a reason that is optional',
      <DecisionDialog key="c" {...words} reason={{ ...reason, optional: true }} decision={decision} />,
    ],
    [
      'with fields of its own',
      <DecisionDialog key="d" {...words} decision={decision}>
        <input />
        <select />
        <Remark />
      </DecisionDialog>,
    ],
  ])('confirms a dialog %s, whatever has the focus', (_, dialog) =>
    expectConfirmed({ open: () => show(dialog), given: '' }),
  )

  test('confirms nothing without the reason that is needed, while something is missing, or twice', async () => {
    for (const dialog of [
      <DecisionDialog key="a" {...words} reason={reason} decision={decision} />,
      <DecisionDialog key="b" {...words} incomplete decision={decision} />,
      <DecisionDialog key="c" {...words} decision={{ ...decision, isPending: true }} />,
    ]) {
      show(dialog)
      for (const place of within('button, textarea')) await press(place, { ctrlKey: true })
    }
    expect(confirmed).not.toHaveBeenCalled()
  })

  test('that is held down confirms nothing: it would confirm a dialog that nobody has read', async () => {
    for (const { open } of Object.values(shown)) {
      open()
      for (const place of within('button, textarea')) await press(place, { ctrlKey: true, repeat: true })
    }
    expect(confirmed).not.toHaveBeenCalled()
  })

  test('alone confirms a text that is written: Enter is a new line', async () => {
    shown['features/admin/shared/decision-dialog#DecisionDialog']?.open()
    for (const place of within('textarea')) await press(place, {})
    expect(confirmed).not.toHaveBeenCalled()
  })
})
