import { MessageCircle } from 'lucide-react'
import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { useConfig, useSignedInUser } from '@/lib/session'
import { toast } from '@/lib/toast'
import { dashboard } from '@/messages/dashboard'
import { support as texts } from '@/messages/support'

declare global {
  interface Document {
    tidioIdentify?: { distinct_id: string; email: string; name: string }
  }
}

const CONSENT = 'chat-consent'

function consented(): boolean {
  try {
    return localStorage.getItem(CONSENT) === 'yes'
  } catch {
    return false
  }
}

/**
 * The floating chat button. With a key from the configuration it loads the chat once its visitor has agreed, and
 * never before: the provider then sees who they are. Without one it shows SPEC's placeholder toast.
 */
export function ChatButton() {
  const { tidioPublicKey } = useConfig()
  const user = useSignedInUser()
  const [asking, setAsking] = useState(false)
  const [loaded, setLoaded] = useState(false)

  const load = () => {
    if (!tidioPublicKey || loaded) return
    try {
      localStorage.setItem(CONSENT, 'yes')
    } catch {
      // Asked again next time.
    }
    document.tidioIdentify = {
      distinct_id: user.id,
      email: user.email,
      name: `${user.firstName} ${user.lastName}`.trim(),
    }
    const script = document.createElement('script')
    script.src = `https://code.tidio.co/${tidioPublicKey}.js`
    script.async = true
    script.onerror = () => {
      setLoaded(false)
      toast({ title: dashboard.chatTitle, description: texts.chat.failed, variant: 'destructive' })
    }
    document.head.append(script)
    setAsking(false)
    setLoaded(true)
  }
  const press = () => {
    if (!tidioPublicKey) toast({ title: dashboard.chatTitle, description: dashboard.chatText })
    else if (consented()) load()
    else setAsking(true)
  }
  if (loaded) return null
  return (
    <div className="fixed right-4 bottom-4 z-30 flex max-w-xs flex-col items-end gap-3">
      {asking ? (
        <section
          role="dialog"
          aria-label={dashboard.chatTitle}
          className="rounded-lg border bg-popover p-4 text-sm text-popover-foreground shadow-lg"
        >
          <p>{texts.chat.consent}</p>
          <div className="mt-3 flex flex-wrap gap-2">
            <Button size="sm" onClick={load}>
              {texts.chat.agree}
            </Button>
            <Button size="sm" variant="outline" onClick={() => setAsking(false)}>
              {texts.chat.refuse}
            </Button>
          </div>
        </section>
      ) : null}
      <Button
        size="icon"
        aria-label={dashboard.chatLabel}
        aria-expanded={tidioPublicKey ? asking : undefined}
        className="size-12 rounded-full md:size-12"
        onClick={press}
      >
        <MessageCircle aria-hidden />
      </Button>
    </div>
  )
}
