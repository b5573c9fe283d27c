import { Link, useLocation } from '@tanstack/react-router'
import { ChevronLeft } from 'lucide-react'
import type { ReactNode } from 'react'
import { Framed } from '@/components/layout/page'
import { cn } from '@/lib/cn'
import { settings } from '@/messages/settings'
import { sections } from './sections'

interface FrameProps {
  /** For a screen with columns of its own. */
  wide?: boolean
  children: ReactNode
}

/** The settings: their menu at the left, one section beside it. Narrow windows have the way back to the list instead. */
export function SettingsFrame({ wide = false, children }: FrameProps) {
  const path = useLocation({ select: (location) => location.pathname.replace(/(.)\/$/, '$1') })
  return (
    <div className="container-page grid gap-x-10 py-6 md:py-10 lg:grid-cols-[13rem_minmax(0,1fr)]">
      <nav aria-label={settings.title} className="hidden lg:block">
        <p className="mb-2 px-3 text-sm font-semibold">{settings.title}</p>
        <ul className="sticky top-20 space-y-0.5">
          {sections.map((section) => {
            const here = path === section.to || ('also' in section && path === section.also)
            return (
              <li key={section.to}>
                <Link
                  to={section.to}
                  activeProps={{ 'aria-current': undefined }}
                  {...(here ? { 'aria-current': 'page' as const } : {})}
                  className={cn(
                    'flex min-h-10 items-center gap-2.5 rounded-md px-3 text-sm font-medium text-muted-foreground hover:bg-accent hover:text-foreground',
                    here && 'bg-primary-tint text-primary hover:bg-primary-tint hover:text-primary',
                  )}
                >
                  <section.icon aria-hidden className="size-4 shrink-0" />
                  {section.name}
                </Link>
              </li>
            )
          })}
        </ul>
      </nav>
      <Framed value>
        <div className={cn('min-w-0', !wide && 'max-w-3xl')}>
          {path === '/settings' ? null : (
            <Link
              to="/settings"
              className="-ml-1 mb-2 inline-flex min-h-8 items-center gap-1 rounded-sm text-sm font-medium text-primary hover:underline lg:hidden"
            >
              <ChevronLeft aria-hidden className="size-4" />
              {settings.title}
            </Link>
          )}
          {children}
        </div>
      </Framed>
    </div>
  )
}
