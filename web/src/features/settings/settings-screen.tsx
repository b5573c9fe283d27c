import { Link } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import { Page } from '@/components/layout/page'
import { settings } from '@/messages/settings'
import { sections } from './sections'

/** What there is to set, each with what is found behind it. */
export function SettingsScreen() {
  return (
    <Page title={settings.title} lead={settings.lead}>
      <ul className="divide-y overflow-hidden rounded-lg border bg-card">
        {sections.map(({ to, icon: Icon, name, text }) => (
          <li key={to}>
            <Link to={to} className="flex items-center gap-4 px-4 py-3.5 hover:bg-accent md:px-6">
              <span className="grid size-9 shrink-0 place-items-center rounded-md bg-primary-tint text-primary">
                <Icon aria-hidden className="size-4.5" />
              </span>
              <span className="min-w-0 flex-1">
                <span className="block text-sm font-medium">{name}</span>
                <span className="block text-sm text-muted-foreground">{text}</span>
              </span>
              <ChevronRight aria-hidden className="size-4 shrink-0 text-muted-foreground" />
            </Link>
          </li>
        ))}
      </ul>
    </Page>
  )
}
