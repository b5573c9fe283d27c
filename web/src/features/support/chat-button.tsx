import { useRouter } from '@tanstack/react-router'
import { MessageCircle } from 'lucide-react'
import { useCallback, useEffect, useState } from 'react'
import { Button } from '@/components/ui/button'
import { cn } from '@/lib/cn'
import { useConfig, useSignedInUser } from '@/lib/session'
import { toast } from '@/lib/toast'
import { dashboard } from '@/messages/dashboard'
import { support as texts } from '@/messages/support'

declare global {
  interface Document {
    tidioIdentify?: { distinct_id: string; email: string; name: string }
  }
}

/** Read by the server too, whose policy lets the chat in on a page of its own only with this consent. */
const CONSENT = 'chat=yes'

function consented(): boolean {
  return document.cookie.split('; ').includes(CONSENT)
}

/** Until the browser is closed. */
function consent(): void {
  const secure = window.location.protocol === 'https:' ? '; secure' : ''
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser
  document.cookie = `${CONSENT}; path=/; samesite=lax${secure}`
}

/** Whether this document came with a policy that lets the chat in: a page reached from another one has that one's. */
function isLetIn(): boolean {
  return document.querySelector('meta[name=chat]') !== null
}

/**
 * The floating chat button. With a key from the configuration it loads the chat once its visitor has agreed, and
 * never before: the provider then sees who they are. Without one it shows the specification's placeholder toast.
 */
export function ChatButton() {
  const { tidioPublicKey } = useConfig()
  const [asking, setAsking] = useState(false)
  const chat = useChat(tidioPublicKey)
  if (chat.loaded) return null
  const press = () => {
    if (!tidioPublicKey)
      toast({
        title: dashboard.chatTitle,
        description: dashboard.chatText,
        action: { label: texts.chat.contact, href: '/support' },
      })
    else if (consented()) chat.open()
    else setAsking((open) => !open)
  }
  return (
    <div
      className={cn(
        'fixed right-4 bottom-4 z-30 flex max-w-xs flex-col-reverse items-end gap-3 print:hidden',
        // A link to other help must not cover a phone's page.
        !tidioPublicKey && 'max-md:static max-md:mt-6 max-md:ml-auto',
      )}
    >
      <Button
        size="icon"
        aria-label={dashboard.chatLabel}
        aria-expanded={tidioPublicKey ? asking : undefined}
        className="size-12 rounded-full md:size-12"
        onClick={press}
      >
        <MessageCircle aria-hidden />
      </Button>
      {asking ? (
        <section
          aria-label={dashboard.chatTitle}
          className="rounded-lg border bg-popover p-4 text-sm text-popover-foreground shadow-lg"
        >
          <p>{texts.chat.consent}</p>
          <div className="mt-3 flex flex-wrap gap-2">
            <Button
              size="sm"
              onClick={() => {
                consent()
                chat.open()
              }}
            >
              {texts.chat.agree}
            </Button>
            <Button size="sm" variant="outline" onClick={() => setAsking(false)}>
              {texts.chat.refuse}
            </Button>
          </div>
        </section>
      ) : null}
    </div>
  )
}

/** The provider's script, which stays within the page it was started on: the next one is fetched without it. */
function useChat(key: string | null): { loaded: boolean; open: () => void } {
  const user = useSignedInUser()
  const router = useRouter()
  const [loaded, setLoaded] = useState(false)
  const { id, email, firstName, lastName } = user
  const load = useCallback(() => {
    document.tidioIdentify = { distinct_id: id, email, name: `${firstName} ${lastName}`.trim() }
    const script = document.createElement('script')
    script.src = `https://code.tidio.co/${key}.js`
    script.async = true
    script.onerror = () => {
      setLoaded(false)
      toast({ title: dashboard.chatTitle, description: texts.chat.failed, variant: 'destructive' })
    }
    document.head.append(script)
    setLoaded(true)
  }, [key, id, email, firstName, lastName])
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, with what is known when the page opens
  useEffect(() => {
    if (key && isLetIn() && consented()) load()
  }, [])
  useEffect(() => {
    if (!loaded) return
    return router.subscribe('onBeforeNavigate', ({ pathChanged, toLocation }) => {
      if (pathChanged) window.location.assign(toLocation.href)
    })
  }, [loaded, router])
  return { loaded, open: () => (isLetIn() ? load() : window.location.reload()) }
}
