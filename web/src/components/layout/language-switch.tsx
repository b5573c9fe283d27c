import { clsx } from 'clsx'
import { showIn } from '@/lib/language'
import { useOffered } from '@/lib/offer'
import { useUser } from '@/lib/session'
import { layout } from '@/messages/layout'
import { type Language, language, languages } from '@/messages/locale'

/** Every language by its own name. What a signed-in person chooses is kept with their account too. */
export function LanguageSwitch({ className }: { className?: string }) {
  const user = useUser()
  const offered = (Object.keys(languages) as Language[]).filter(useOffered('languages'))
  const choose = async (next: Language) => {
    if (user) {
      const { keepLanguage } = await import('@/features/settings/language')
      await keepLanguage(next)
    }
    showIn(next)
  }
  return (
    <ul aria-label={layout.language} className={clsx('inline-flex rounded-md border p-0.5', className)}>
      {offered.map((code) => (
        <li key={code}>
          <button
            type="button"
            lang={code}
            aria-current={code === language || undefined}
            onClick={() => code !== language && void choose(code)}
            className="min-h-9 cursor-pointer rounded-sm px-2.5 text-xs text-muted-foreground hover:text-foreground aria-[current=true]:bg-secondary aria-[current=true]:text-foreground md:min-h-7"
          >
            {languages[code]}
          </button>
        </li>
      ))}
    </ul>
  )
}
