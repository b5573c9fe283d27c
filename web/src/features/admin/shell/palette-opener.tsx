import { Search } from 'lucide-react'
import { lazy, Suspense, useEffect, useState } from 'react'
import { Button } from '@/components/ui/button'
import { adminNav } from '@/messages/admin-nav'

const Palette = lazy(() => import('./palette').then((module) => ({ default: module.Palette })))

/** The search over everything, loaded when it is first wanted; Ctrl-K (⌘K) opens it unless another dialog is open. */
export function usePalette() {
  const [open, setOpen] = useState(false)
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
      if (event.key.toLowerCase() !== 'k') return
      event.preventDefault()
      setOpen((is) => !is && document.querySelector('[role=dialog]') === null)
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [])
  const dialog = open ? (
    <Suspense>
      <Palette onClose={() => setOpen(false)} />
    </Suspense>
  ) : null
  return { dialog, show: () => setOpen(true) }
}

const isMac = /Mac|iPhone|iPad/.test(navigator.platform)

/** Opens it by pointer: wide with its keys, or only an icon. */
export function PaletteButton({ onClick, wide }: { onClick: () => void; wide?: boolean }) {
  if (!wide)
    return (
      <Button
        variant="ghost"
        size="icon"
        className="md:hidden"
        aria-label={adminNav.find}
        aria-haspopup="dialog"
        onClick={onClick}
      >
        <Search aria-hidden />
      </Button>
    )
  return (
    <Button
      variant="outline"
      size="sm"
      className="justify-start font-normal text-muted-foreground lg:w-52"
      aria-haspopup="dialog"
      aria-keyshortcuts="Control+K Meta+K"
      onClick={onClick}
    >
      <Search aria-hidden />
      {adminNav.find}
      <kbd aria-hidden className="ml-auto rounded-sm border px-1.5 font-sans text-xs max-lg:hidden">
        {isMac ? '⌘K' : 'Ctrl K'}
      </kbd>
    </Button>
  )
}
