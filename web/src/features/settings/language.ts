import { getProfile } from '@/api/sdk.gen'
import type { Language } from '@/messages/locale'
import { choose, preferencesOf } from './queries'

/** Keeps a language with the account. Where that is refused, as before a second factor, it is this browser's alone. */
export async function keepLanguage(language: Language): Promise<void> {
  try {
    const { data } = await getProfile()
    await choose({ ...preferencesOf(data), language })
  } catch {
    // The choice holds in this browser, and can be made again in the settings.
  }
}
