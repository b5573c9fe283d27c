import { type ReactNode, useState } from 'react'
import { Button } from '@/components/ui/button'
import { Dialog, DialogContent } from '@/components/ui/dialog'
import { HttpError, messageOf } from '@/lib/http'
import { useUser } from '@/lib/session'
import { common } from '@/messages/common'
import { twoFactor as texts } from '@/messages/two-factor'
import { CodeForm } from './code-form'

/** The person closed the dialog: nothing was done, and nothing needs to be said. */
export class StepUpCancelled extends Error {}

/** The header of a call that asks for a fresh code. */
export function withCode(code: string | undefined): { headers?: { 'x-two-factor-code': string } } {
  return code ? { headers: { 'x-two-factor-code': code } } : {}
}

interface Asking {
  submit: (code: string) => Promise<void>
  cancel: () => void
}

const asksForCode = (error: unknown) => error instanceof HttpError && error.code === 'fresh_code_required'
const staysOpen = (error: unknown) =>
  error instanceof HttpError && (error.code === 'invalid_code' || error.code === 'two_factor_locked')

/**
 * Step-up: `run` carries out an act that needs a fresh code of whoever has a second factor, and asks for the code
 * in `dialog`, which the caller renders. A wrong code is said in the dialog; every other answer is the act's.
 */
export function useStepUp(): {
  run: <T>(act: (code?: string) => Promise<T>) => Promise<T>
  dialog: ReactNode
} {
  const enrolled = useUser()?.twoFactorEnabled ?? false
  const [asking, setAsking] = useState<Asking>()

  const ask = <T,>(act: (code: string) => Promise<T>) =>
    new Promise<T>((resolve, reject) => {
      const end = (settle: () => void) => {
        setAsking(undefined)
        settle()
      }
      setAsking({
        submit: async (code) => {
          try {
            const result = await act(code)
            end(() => resolve(result))
          } catch (error) {
            if (staysOpen(error)) throw error
            end(() => reject(error))
          }
        },
        cancel: () => end(() => reject(new StepUpCancelled())),
      })
    })

  const run = async <T,>(act: (code?: string) => Promise<T>): Promise<T> => {
    if (enrolled) return ask(act)
    try {
      return await act()
    } catch (error) {
      if (asksForCode(error)) return ask(act)
      throw error
    }
  }
  return { run, dialog: asking ? <StepUpDialog asking={asking} /> : null }
}

function StepUpDialog({ asking }: { asking: Asking }) {
  const [pending, setPending] = useState(false)
  const [error, setError] = useState<string>()
  const submit = async (code: string) => {
    setPending(true)
    try {
      await asking.submit(code)
    } catch (refused) {
      setError(messageOf(refused, texts.invalidCode))
      setPending(false)
    }
  }
  return (
    <Dialog open onOpenChange={(open) => (open || pending ? undefined : asking.cancel())}>
      <DialogContent title={texts.stepUpTitle} description={texts.stepUpText}>
        <CodeForm
          label={texts.codeOrBackup}
          submit={texts.confirm}
          backup="too"
          pending={pending}
          error={error}
          onCode={(code) => void submit(code)}
        >
          <Button variant="outline" onClick={asking.cancel} disabled={pending}>
            {common.cancel}
          </Button>
        </CodeForm>
      </DialogContent>
    </Dialog>
  )
}
