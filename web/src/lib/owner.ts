import { heard } from './connection'

/** Whose page this is, and what to do when somebody else is signed in by now. */
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
 * Cookies are the browser's, and another tab may have signed in somebody else: nothing of one person's page is sent in
 * another's name. A session that is gone is no other person's; the next call tells that.
 */
export async function confirmOwner(): Promise<void> {
  if (!owner) return
  const answer = await fetch('/api/auth/user', { credentials: 'include', cache: 'no-store' })
  heard(answer)
  if (!answer.ok || ((await answer.json()) as { id: string }).id === owner.id) return
  owner.onOther()
  throw new OtherPerson()
}
