import { useLocation } from '@tanstack/react-router'
import { Menu, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Button } from '@/components/ui/button'
import { adminNav } from '@/messages/admin-nav'
import { SectionList } from './sidebar'

/** The sections on a phone: below a button, closed by navigation, by Escape, and by pressing elsewhere. */
export function PhoneMenu() {
  const [open, setOpen] = useState(false)
  const own = useRef<HTMLDivElement>(null)
  const href = useLocation({ select: (location) => location.href })
  // biome-ignore lint/correctness/useExhaustiveDependencies: closes whenever the address changes
  useEffect(() => setOpen(false), [href])
  useEffect(() => {
    if (!open) return
    const leave = (event: Event) => {
      if (!own.current?.contains(event.target as Node)) setOpen(false)
    }
    const close = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      setOpen(false)
      own.current?.querySelector('button')?.focus()
    }
    document.addEventListener('focusin', leave)
    document.addEventListener('pointerdown', leave)
    document.addEventListener('keydown', close)
    return () => {
      document.removeEventListener('focusin', leave)
      document.removeEventListener('pointerdown', leave)
      document.removeEventListener('keydown', close)
    }
  }, [open])
  return (
    <div ref={own} className="md:hidden">
      <Button
        variant="ghost"
        size="icon"
        aria-label={adminNav.menu}
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        {open ? <X aria-hidden /> : <Menu aria-hidden />}
      </Button>
      {open ? (
        <div className="scroll-shade absolute inset-x-0 top-full max-h-[calc(100dvh-3.5rem)] overflow-y-auto border-b bg-card shadow-lg">
          <SectionList />
        </div>
      ) : null}
    </div>
  )
}
