import type { OrderMail } from '@/api/types.gen'
import { spaced } from '@/lib/format'
import { mailFates } from '@/messages/admin-proposals'

/** The outcome of a mail as text. One that a later mail made obsolete did not fail. */
export function mailFate(mail: Pick<OrderMail, 'sentAt' | 'givenUpAt' | 'lastError' | 'attempts'>): string {
  if (mail.sentAt) return mailFates.sent
  if (mail.givenUpAt) {
    return mail.lastError === 'replaced'
      ? mailFates.replaced
      : mailFates.givenUp(spaced(mail.lastError ?? ''))
  }
  return mail.attempts > 0
    ? mailFates.retrying(mail.attempts, spaced(mail.lastError ?? ''))
    : mailFates.waiting
}
