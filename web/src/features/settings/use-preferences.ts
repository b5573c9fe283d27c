import { useState } from 'react'
import type { NewPreferences, Profile } from '@/api/types.gen'
import { showIn } from '@/lib/language'
import { language } from '@/messages/locale'
import { choose, preferencesOf } from './queries'
import { useSaving } from './use-saving'

/** A person's language and mails. A choice shows at once; the server's answer replaces it. */
export function usePreferences(profile: Profile) {
  const saving = useSaving(choose)
  const [chosen, setChosen] = useState<NewPreferences>()
  const now = chosen ?? preferencesOf(profile)
  const change = (part: Partial<NewPreferences>) => {
    const next = { ...now, ...part }
    setChosen(next)
    saving.mutate(next, {
      onSuccess: (saved) => {
        if (saved.language !== language) showIn(saved.language)
      },
      onSettled: () => setChosen((latest) => (latest === next ? undefined : latest)),
    })
  }
  return { now, change, error: saving.error }
}
