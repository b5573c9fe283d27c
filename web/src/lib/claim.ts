import { account } from '@/messages/account'
import { adoptDrafts, dropDraftsOfOthers } from './drafts'
import { LOGIN_DELAY_MS } from './login'
import { setOwner } from './owner'
import type { User } from './session'
import { toast } from './toast'

/**
 * This page belongs to one person: drafts of others are deleted here, and when another person signs in beside
 * it, it becomes theirs.
 */
export function claim({ id }: User): void {
  adoptDrafts(id)
  dropDraftsOfOthers(id)
  setOwner({
    id,
    onOther: () => {
      toast({
        title: account.otherPerson,
        description: account.otherPersonText,
        variant: 'destructive',
        last: true,
      })
      setTimeout(() => window.location.assign('/dashboard'), LOGIN_DELAY_MS)
    },
  })
}
