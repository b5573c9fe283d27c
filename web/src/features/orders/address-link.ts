/**
 * The mailed link that confirms another address of an order. Its token leaves the page's address at once, and
 * is kept for this tab, so that it survives the login; it works for the order's owner alone.
 */
import { useLocation, useNavigate } from '@tanstack/react-router'
import { dropDraft, keepDraft, readDraft } from '@/lib/drafts'
import { useUser } from '@/lib/session'

const untouched = { empty: { token: '' } }

function formOf(orderId: string): string {
  return `address-link/${orderId}`
}

function tokenIn(hash: string): string | undefined {
  return /^#?address=(.+)$/.exec(hash)?.[1]
}

function kept(userId: string, orderId: string): string | undefined {
  const token = readDraft(userId, formOf(orderId))?.values.token
  return typeof token === 'string' ? token : undefined
}

/** Keeps the token of the link that this page was opened with. A visitor's becomes theirs once they have signed in. */
export function takeAddressLink(userId: string): void {
  const { hash, pathname, search } = window.location
  const token = tokenIn(hash)
  const orderId = /^\/orders\/([^/]+)$/.exec(pathname)?.[1]
  if (!token || !orderId) return
  keepDraft(userId, formOf(orderId), { token }, untouched)
  if (kept(userId, orderId) === token)
    window.history.replaceState(window.history.state, '', pathname + search)
}

/** The token by which this page came to an order, and how it is dropped. */
export function useAddressLink(orderId: string): { token: string | undefined; drop: () => void } {
  const userId = useUser()?.id ?? ''
  const given = useLocation({ select: ({ hash }) => tokenIn(hash) })
  const navigate = useNavigate()
  return {
    token: given ?? kept(userId, orderId),
    drop: () => {
      dropDraft(userId, formOf(orderId))
      if (given) void navigate({ to: '.', hash: '', replace: true })
    },
  }
}
