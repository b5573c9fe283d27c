import { type Language, language, languages } from '@/messages/locale'

/** Read by the server, which answers every page in this language (api/language.go). */
const COOKIE = 'lang'
const YEAR_S = 31_536_000

/** The language chosen in this browser; undefined while the server follows the browser's preference. */
export function chosenLanguage(): Language | undefined {
  const own = document.cookie.split('; ').find((pair) => pair.startsWith(`${COOKIE}=`))
  const code = own?.slice(COOKIE.length + 1)
  return code !== undefined && code in languages ? (code as Language) : undefined
}

/** The same page in another language: each is a build of its own. What pages keep across a reload stays. */
export function showIn(next: Language): void {
  const secure = window.location.protocol === 'https:' ? '; secure' : ''
  // biome-ignore lint/suspicious/noDocumentCookie: not every browser has a cookie store
  document.cookie = `${COOKIE}=${next}; path=/; max-age=${YEAR_S}; samesite=lax${secure}`
  window.location.reload()
}

/** Staff's pages are in English: who leaves them for the site reads that in the language they chose. */
export function leaveEnglish(): void {
  if (language !== (chosenLanguage() ?? language)) window.location.reload()
}
