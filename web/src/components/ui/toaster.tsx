import { X } from 'lucide-react'
import { Toast as Primitive } from 'radix-ui'
import { useEffect, useSyncExternalStore } from 'react'
import { cn } from '@/lib/cn'
import { currentToasts, dismissToast, subscribeToasts, TOAST_DURATION_MS } from '@/lib/toast'
import { common } from '@/messages/common'
import { Button } from './button'

/** Radix stops its timer while the window has no focus: a provider's frame has it as long as it is used. */
function useEndBesideFrame(id: string | undefined) {
  useEffect(() => {
    if (!id) return
    const timer = setTimeout(() => {
      if (document.activeElement instanceof HTMLIFrameElement) dismissToast(id)
    }, TOAST_DURATION_MS)
    return () => clearTimeout(timer)
  }, [id])
}

/** Shows the store's one toast. Loaded with the first toast, so that pages without one do not load it. */
export function Toaster() {
  const toasts = useSyncExternalStore(subscribeToasts, currentToasts)
  useEndBesideFrame(toasts[0]?.id)
  return (
    <Primitive.Provider duration={TOAST_DURATION_MS} swipeDirection="right">
      {toasts.map((toast) => (
        <Primitive.Root
          key={toast.id}
          open={toast.open}
          onOpenChange={(open) => {
            if (!open) dismissToast(toast.id)
          }}
          data-toast
          className={cn(
            'flex w-full items-start gap-3 rounded-lg border bg-popover p-4 text-popover-foreground shadow-lg',
            'data-[state=open]:animate-in data-[state=open]:max-md:slide-in-from-top-4 data-[state=open]:md:slide-in-from-bottom-4 data-[state=closed]:animate-out data-[state=closed]:fade-out-0',
            toast.variant === 'destructive' && 'border-danger-text/40 bg-danger-tint text-danger-text',
          )}
        >
          <div className="min-w-0 flex-1">
            <Primitive.Title className="text-sm font-semibold">{toast.title}</Primitive.Title>
            {toast.description ? (
              <Primitive.Description className="mt-0.5 text-sm">{toast.description}</Primitive.Description>
            ) : null}
            {toast.action ? (
              <Primitive.Action asChild altText={toast.action.label}>
                <a
                  href={toast.action.href}
                  className="mt-2 inline-block text-sm font-medium underline underline-offset-4"
                >
                  {toast.action.label}
                </a>
              </Primitive.Action>
            ) : null}
          </div>
          <Primitive.Close asChild>
            <Button
              variant="ghost"
              size="icon-sm"
              aria-label={common.close}
              className="-mt-1 -mr-1 text-current"
            >
              <X aria-hidden />
            </Button>
          </Primitive.Close>
        </Primitive.Root>
      ))}
      {/* On a phone at the top: dialogs and forms have their buttons at the bottom. */}
      <Primitive.Viewport className="fixed top-0 right-0 z-60 flex w-full max-w-full flex-col p-4 md:top-auto md:bottom-0 md:max-w-md" />
    </Primitive.Provider>
  )
}
