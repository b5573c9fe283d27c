import { ChevronLeft, ChevronRight, ZoomIn, ZoomOut } from 'lucide-react'
import { type KeyboardEvent, useState } from 'react'
import { Button } from '@/components/ui/button'
import { Dialog, DialogContent, focusField } from '@/components/ui/dialog'
import { adminGiftCards as texts } from '@/messages/admin-gift-cards'
import { Key, KeyHints, useKeys } from '../shared/keys'

/** A revealed card's pictures side by side, each opened large by a click, Enter or its number. */
export function CardPictures({ urls }: { urls: readonly string[] }) {
  const [open, setOpen] = useState<number>()
  useKeys(
    urls.map((_, index) => ({
      key: String(index + 1),
      label: texts.picture(index + 1),
      run: () => setOpen(index),
    })),
  )
  if (urls.length === 0) return <p className="mt-4 text-sm text-muted-foreground">{texts.noPictures}</p>
  return (
    <>
      <ul className="mt-4 grid gap-3 sm:grid-cols-2">
        {urls.map((url, index) => (
          <li key={url}>
            <button
              type="button"
              aria-keyshortcuts={String(index + 1)}
              onClick={() => setOpen(index)}
              className="group relative block w-full cursor-zoom-in overflow-hidden rounded-md border bg-muted"
            >
              <img
                src={url}
                alt={texts.picture(index + 1)}
                className="aspect-4/3 w-full object-contain group-hover:opacity-90"
              />
              <span className="absolute bottom-2 left-2 max-md:hidden">
                <Key>{String(index + 1)}</Key>
              </span>
            </button>
          </li>
        ))}
      </ul>
      {open === undefined ? null : (
        <Zoom urls={urls} at={open} onGo={setOpen} onClose={() => setOpen(undefined)} />
      )}
    </>
  )
}

const MOST = 4
const STEP = 0.5

interface ZoomProps {
  urls: readonly string[]
  at: number
  onGo: (at: number) => void
  onClose: () => void
}

/** One picture, as large as is wanted: + and − zoom, the arrows lead to the others or move what is zoomed. */
function Zoom({ urls, at, onGo, onClose }: ZoomProps) {
  const [scale, setScale] = useState(1)
  const zoom = (by: number) => setScale(Math.min(MOST, Math.max(1, scale + by)))
  const go = (by: number) => {
    if (urls[at + by] === undefined) return
    setScale(1)
    onGo(at + by)
  }
  const acts: Record<string, () => void> = {
    '+': () => zoom(STEP),
    '=': () => zoom(STEP),
    '-': () => zoom(-STEP),
    '0': () => setScale(1),
    // Zoomed in, the arrows move the picture, as they scroll any scrollable element.
    ...(scale === 1 ? { ArrowLeft: () => go(-1), ArrowRight: () => go(1) } : {}),
  }
  return (
    <Dialog open onOpenChange={(on) => (on ? undefined : onClose())}>
      <DialogContent
        title={texts.pictureOf(at + 1, urls.length)}
        className="md:max-w-5xl"
        onOpenAutoFocus={focusField}
        onKeyDown={(event: KeyboardEvent) => {
          const act = acts[event.key]
          if (!act || event.ctrlKey || event.metaKey || event.altKey) return
          event.preventDefault()
          act()
        }}
      >
        <div className="mb-3 flex flex-wrap items-center gap-2">
          <Button variant="outline" size="icon-sm" aria-label={texts.smaller} onClick={() => zoom(-STEP)}>
            <ZoomOut aria-hidden />
          </Button>
          <span aria-live="polite" className="min-w-12 text-center text-sm tabular-nums">
            {Math.round(scale * 100)} %
          </span>
          <Button variant="outline" size="icon-sm" aria-label={texts.larger} onClick={() => zoom(STEP)}>
            <ZoomIn aria-hidden />
          </Button>
          <span className="flex-1" />
          <Button
            variant="outline"
            size="icon-sm"
            aria-label={texts.pictureBefore}
            disabled={at === 0}
            onClick={() => go(-1)}
          >
            <ChevronLeft aria-hidden />
          </Button>
          <Button
            variant="outline"
            size="icon-sm"
            aria-label={texts.pictureAfter}
            disabled={at === urls.length - 1}
            onClick={() => go(1)}
          >
            <ChevronRight aria-hidden />
          </Button>
        </div>
        <section
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard
          tabIndex={0}
          data-first
          aria-label={texts.picture(at + 1)}
          className="h-[70dvh] overflow-auto rounded-md bg-muted"
        >
          <img
            src={urls[at]}
            alt={texts.picture(at + 1)}
            className="h-full max-w-none object-contain"
            style={{ width: `${scale * 100}%`, height: `${scale * 100}%` }}
          />
        </section>
        <KeyHints hints={texts.zoomKeys} />
      </DialogContent>
    </Dialog>
  )
}
