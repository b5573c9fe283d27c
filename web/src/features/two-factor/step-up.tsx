import { type ReactNode, useEffect, useRef, useState } from 'react'
import { HttpError, messageOf, setRemedy } from '@/lib/http'
import { useUser } from '@/lib/session'
import { twoFactor as texts } from '@/messages/two-factor'
import { CodeDialog } from './code-dialog'
import { recentCode } from './recent-code'

/** The person closed the dialog: nothing was done, and no message is needed. */
export class StepUpCancelled extends Error {}

/** The header of a call with a fresh code. */
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
 * Step-up: `run` sends an act that requires a fresh code from a person with a second factor, and asks for the
 * code in `dialog`, which the caller renders. A wrong code is shown in the dialog; every other answer is the
 * act's.
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

/** Asks for a code whenever an act that moves money needs a recent one (lib/http.ts). */
export function RecentCode(): ReactNode {
  const { run, dialog } = useStepUp()
  const latest = useRef(run)
  latest.current = run
  useEffect(() => {
    setRemedy(recentCode((act) => latest.current(act)))
    return () => setRemedy(undefined)
  }, [])
  return <>{dialog}</>
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
    <CodeDialog
      title={texts.stepUpTitle}
      text={texts.stepUpText}
      pending={pending}
      error={error}
      onCode={(code) => void submit(code)}
      onClose={asking.cancel}
    />
  )
}
