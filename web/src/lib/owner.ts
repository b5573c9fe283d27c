import { heard, unheard } from './connection'

/** The person of this page, and what to do when another person has signed in meanwhile. */
interface Owner {
  id: string
  onOther: () => void
}

let owner: Owner | undefined

export function setOwner(next: Owner): void {
  owner = next
}

/** Whose page this is, or nothing. */
export const ownerId = (): string => owner?.id ?? ''

export class OtherPerson extends Error {
  constructor() {
    super('another person is signed in')
    this.name = 'OtherPerson'
  }
}

/**
 * Cookies are shared by all tabs, and another tab may have signed in another person: no call of one person's
 * page is sent in another's name. A session that is gone is no other person's; the next call reports that.
 */
export async function confirmOwner(): Promise<void> {
  if (!owner) return
  const answer = await fetch('/api/auth/user', { credentials: 'include', cache: 'no-store' }).catch(
    (error) => {
      unheard()
      throw error
    },
  )
  heard(answer)
  if (!answer.ok || ((await answer.json()) as { id: string }).id === owner.id) return
  owner.onOther()
  throw new OtherPerson()
}
