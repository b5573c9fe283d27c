import { setNonce } from 'get-nonce'
import { X } from 'lucide-react'
import { Dialog as Primitive } from 'radix-ui'
import { type ComponentProps, type ReactNode, useRef, useState } from 'react'
import { cn } from '@/lib/cn'
import { common } from '@/messages/common'
import { Button } from './button'

// Radix locks the page's scroll with a <style> of its own, which the content security policy requires to be
// marked. (There is no document where pages are rendered at build.)
const nonce = globalThis.document?.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce
if (nonce) setNonce(nonce)

export const Dialog = Primitive.Root
export const DialogTrigger = Primitive.Trigger
export const DialogClose = Primitive.Close

interface DialogContentProps extends Omit<ComponentProps<typeof Primitive.Content>, 'title'> {
  title: ReactNode
  description?: ReactNode
  /** Only its own buttons close it. */
  blocking?: boolean
}

let after: HTMLElement | undefined

/** Where the focus goes once the open dialog closes, in place of the element that opened it. */
export function focusAfterDialog(element: HTMLElement): void {
  after = element
}

/** Opened by state rather than by a trigger, a dialog itself remembers who had the focus and gives it back. */
function useOpener(): (event: Event) => void {
  const [opener] = useState(() => document.activeElement)
  return (event) => {
    event.preventDefault()
    const below = document.querySelector('[role=dialog][data-state=open]') ?? document.querySelector('h1')
    const next = after?.isConnected ? after : undefined
    after = undefined
    const back = next ?? (opener?.isConnected ? opener : below)
    if (back instanceof HTMLElement) back.focus()
  }
}

/** Begins where something is to be entered, or at what confirms, rather than at the button that closes. */
export function focusField(event: Event): void {
  const { currentTarget } = event
  if (!(currentTarget instanceof HTMLElement)) return
  const field = currentTarget.querySelector<HTMLElement>('input, textarea, select, [data-first]')
  if (!field) return
  event.preventDefault()
  field.focus()
}

/** Escape closes what lies on top. Radix does not know a menu, and a dialog that was opened just now only once it is drawn again. */
function closeTop(event: Event, own: HTMLElement | null): void {
  const menu = document.querySelector<HTMLElement>('[role=menu]:popover-open')
  const top = [...document.querySelectorAll('[role=dialog][data-state=open]')].at(-1)
  if (!menu && top === own) return
  event.preventDefault()
  if (menu) menu.hidePopover()
  else top?.querySelector<HTMLElement>('[data-close]')?.click()
}

const stay = (event: Event) => event.preventDefault()

export function DialogContent({
  title,
  description,
  blocking,
  className,
  children,
  ...props
}: DialogContentProps) {
  const giveFocusBack = useOpener()
  const own = useRef<HTMLDivElement>(null)
  return (
    <Primitive.Portal>
      <Primitive.Overlay className="fixed inset-0 z-50 bg-overlay data-[state=closed]:animate-out data-[state=closed]:fade-out-0 data-[state=open]:animate-in data-[state=open]:fade-in-0" />
      <Primitive.Content
        ref={own}
        className={cn(
          'fixed inset-x-0 bottom-0 z-50 max-h-[92dvh] w-full overflow-y-auto rounded-t-xl border bg-popover p-4 text-popover-foreground',
          'md:inset-x-auto md:bottom-auto md:top-1/2 md:left-1/2 md:max-w-lg md:-translate-x-1/2 md:-translate-y-1/2 md:rounded-xl md:p-6',
          'data-[state=open]:animate-in data-[state=open]:fade-in-0 data-[state=closed]:animate-out data-[state=closed]:fade-out-0',
          className,
        )}
        {...(description ? {} : { 'aria-describedby': undefined })}
        onCloseAutoFocus={giveFocusBack}
        onEscapeKeyDown={blocking ? stay : (event) => closeTop(event, own.current)}
        onInteractOutside={blocking ? stay : undefined}
        {...props}
      >
        <div className="flex items-start justify-between gap-4">
          <Primitive.Title className="text-lg font-semibold">{title}</Primitive.Title>
          {blocking ? null : (
            <Primitive.Close asChild data-close="">
              <Button variant="ghost" size="icon-sm" aria-label={common.close} className="-mt-1 -mr-1">
                <X aria-hidden />
              </Button>
            </Primitive.Close>
          )}
        </div>
        {description ? (
          <Primitive.Description className="mt-1 text-sm text-muted-foreground">
            {description}
          </Primitive.Description>
        ) : null}
        <div className="mt-4">{children}</div>
      </Primitive.Content>
    </Primitive.Portal>
  )
}

/** The row of buttons at a dialog's end: the way on at the right, stacked on phones. */
export function DialogActions({ className, ...props }: ComponentProps<'div'>) {
  return (
    <div
      className={cn('mt-6 flex flex-col-reverse gap-2 md:flex-row md:justify-end', className)}
      {...props}
    />
  )
}
