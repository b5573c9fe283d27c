import { useDraft } from '@/lib/draft'
import { idempotencyKey } from '@/lib/http'

const empty = { text: '', key: '' }

/**
 * One message being written. Its key belongs to its text: a retry is the same message, also after the page
 * was reloaded; a change is another.
 */
export function useMessage(form: string) {
  const draft = useDraft({ form, empty })
  return {
    text: draft.values.text,
    write: (text: string) => draft.setValues(text ? { text, key: idempotencyKey() } : empty),
    key: () => draft.values.key,
    draft,
  }
}
