import { existsSync } from 'node:fs'
import type { Plugin } from 'vite'

/**
 * A build in another language than English: each import of a file of src/messages resolves to the file of the
 * same name in the language's folder there. Files without one, which are staff's, stay English.
 */
export function inLanguage(language: string): Plugin {
  return {
    name: 'messages-in-language',
    enforce: 'pre',
    apply: () => language !== 'en',
    async resolveId(source, importer, options) {
      if (!source.includes('messages/') && !importer?.includes('/src/messages/')) return null
      const found = await this.resolve(source, importer, { ...options, skipSelf: true })
      const translated = found?.id.replace(/(\/src\/messages\/)([\w-]+\.ts)$/, `$1${language}/$2`)
      // A translation may take from its own original what is the same in every language.
      if (!translated || translated === found?.id || translated === importer) return null
      return existsSync(translated) ? translated : null
    },
  }
}
