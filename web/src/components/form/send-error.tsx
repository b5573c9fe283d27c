import { CircleAlert, CircleHelp } from 'lucide-react'
import type { ReactNode } from 'react'
import { HttpError, messageOf } from '@/lib/http'
import { form as texts } from '@/messages/form'
import { Notice } from '../states/states'

/** No answer: whether the call arrived is unknown. */
export function isUnanswered(error: unknown): boolean {
  return error instanceof Error && !(error instanceof HttpError)
}

/** The message beside a button whose answer was lost: the act may have been executed. */
export function outcomeOf(error: unknown, title: string, fallback: string): { title: string; text: string } {
  return isUnanswered(error)
    ? { title: texts.unknown, text: texts.unknownText }
    : { title, text: messageOf(error, fallback) }
}

interface SendErrorProps {
  error: unknown
  /** The message where the server sent none. */
  fallback: string
  /** The act moves value: without an answer its outcome is unknown. */
  money?: boolean
  /** The page on which the outcome is shown. */
  children?: ReactNode
  className?: string
}

/** Why something was not sent, beside its button. What the server says of single fields stands at those. */
export function SendError({ error, fallback, money = false, children, className }: SendErrorProps) {
  if (!error) return null
  if (error instanceof HttpError && (error.fields.length > 0 || error.body?.field || error.status === 401))
    return null
  const lost = isUnanswered(error)
  const said = money
    ? outcomeOf(error, texts.notSent, fallback)
    : { title: texts.notSent, text: lost ? texts.noAnswer : messageOf(error, fallback) }
  return (
    <Notice
      tone={money && lost ? 'pending' : 'danger'}
      icon={money && lost ? CircleHelp : CircleAlert}
      role="alert"
      title={said.title}
      {...(className ? { className } : {})}
    >
      <p>{said.text}</p>
      {lost ? children : null}
    </Notice>
  )
}
