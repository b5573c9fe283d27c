/**
 * A mailed link that confirms something on the page it leads to. Its token leaves the page's address at once, and
 * is kept for this tab, so that it survives the login; it works for its customer alone.
 */
import { useLocation, useNavigate } from '@tanstack/react-router'
import { dropDraft, keepDraft, readDraft } from '@/lib/drafts'
import { useUser } from '@/lib/session'

/** The links there are, by the name in their fragment: where each leads, and the form that its token is kept under. */
const links = {
  address: { path: /^\/orders\/([^/]+)$/, form: (id: string) => `address-link/${id}` },
  confirm: {
    path: /^\/(?:orders\/([^/]+)|payouts\/([^/]+)|settings\/privacy)$/,
    form: (id: string) => `confirm-link/${id}`,
  },
} as const

export type LinkName = keyof typeof links

/** The name of what the privacy page confirms: it has one request at a time. */
export const dataExport = 'data-export'

const untouched = { empty: { token: '' } }

function tokenIn(hash: string, name: LinkName): string | undefined {
  return new RegExp(`^#?${name}=(.+)$`).exec(hash)?.[1]
}

function kept(userId: string, name: LinkName, id: string): string | undefined {
  const token = readDraft(userId, links[name].form(id))?.values.token
  return typeof token === 'string' ? token : undefined
}

/** Keeps the token of the link that this page was opened with. A visitor's becomes theirs once they have signed in. */
export function takeMailedLink(userId: string): void {
  const { hash, pathname, search } = window.location
  // A visitor's is still at the page to sign in on, which names the one that the link is for.
  const at = pathname === '/open' ? (new URLSearchParams(search).get('to') ?? '') : pathname
  for (const name of ['address', 'confirm'] as const) {
    const token = tokenIn(hash, name)
    const place = links[name].path.exec(at)
    if (!token || !place) continue
    const id = place[1] ?? place[2] ?? dataExport
    keepDraft(userId, links[name].form(id), { token }, untouched)
    if (kept(userId, name, id) === token)
      window.history.replaceState(window.history.state, '', pathname + search)
  }
}

/** The token by which this page was come to, and how it is dropped. */
export function useMailedLink(name: LinkName, id: string): { token: string | undefined; drop: () => void } {
  const userId = useUser()?.id ?? ''
  const given = useLocation({ select: ({ hash }) => tokenIn(hash, name) })
  const navigate = useNavigate()
  return {
    token: given ?? kept(userId, name, id),
    drop: () => {
      dropDraft(userId, links[name].form(id))
      if (given) void navigate({ to: '.', hash: '', replace: true })
    },
  }
}
