import { clsx } from 'clsx'
import { Monitor, Moon, Sun } from 'lucide-react'
import { useEffect, useState } from 'react'
import { applyTheme, currentTheme, type Theme } from '@/lib/theme'
import { layout } from '@/messages/layout'

const choices = [
  { value: 'light', label: layout.themeLight, icon: Sun },
  { value: 'dark', label: layout.themeDark, icon: Moon },
  { value: 'system', label: layout.themeSystem, icon: Monitor },
] as const

/** Three radio buttons; the choice is kept in this browser. */
export function ThemeSwitch({ className }: { className?: string }) {
  const [theme, setTheme] = useState<Theme>('system')
  useEffect(() => setTheme(currentTheme()), [])
  const choose = (next: Theme) => {
    setTheme(next)
    applyTheme(next)
  }
  return (
    <fieldset className={clsx('inline-flex rounded-md border p-0.5', className)}>
      <legend className="sr-only">{layout.theme}</legend>
      {choices.map(({ value, label, icon: Icon }) => (
        <label
          key={value}
          title={label}
          className="grid size-9 cursor-pointer place-items-center rounded-sm text-muted-foreground has-checked:bg-secondary has-checked:text-foreground has-focus-visible:outline-2 has-focus-visible:outline-ring md:size-7"
        >
          <input
            type="radio"
            name="theme"
            value={value}
            checked={theme === value}
            onChange={() => choose(value)}
            className="sr-only"
          />
          <Icon aria-hidden className="size-4" />
          <span className="sr-only">{label}</span>
        </label>
      ))}
    </fieldset>
  )
}
