import { type ReactNode, useId, useState } from 'react'
import { Field } from '@/components/form/field'
import { Button } from '@/components/ui/button'
import { Input } from '@/components/ui/input'

interface CodeFormProps {
  label: string
  hint?: string
  submit: string
  pending: boolean
  error?: string | undefined
  /** Also takes the longer backup codes, in capitals. */
  backup?: 'only' | 'too'
  /** The error when nothing was entered; without it the button waits for a whole code. */
  missing?: string
  destructive?: boolean
  children?: ReactNode
  onCode: (code: string) => void
}

const DIGITS = 6
const BACKUP = 19

/** One code and its button: six digits, or a backup code. */
export function CodeForm(props: CodeFormProps) {
  const { label, hint, submit, pending, error, backup, missing, destructive, children, onCode } = props
  const [code, setCode] = useState('')
  const [empty, setEmpty] = useState(false)
  const whole = (backup !== 'only' && /^\d{6}$/.test(code)) || (backup !== undefined && code.length >= 16)
  const change = (text: string) => {
    setEmpty(false)
    setCode(backup ? text.toUpperCase().slice(0, BACKUP) : text.replace(/\D/g, '').slice(0, DIGITS))
  }
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (pending) return
        if (missing && code.trim() === '') setEmpty(true)
        else if (whole) onCode(code.trim())
      }}
    >
      <Field id={useId()} label={label} hint={hint} error={empty ? missing : error}>
        {(field) => (
          <Input
            {...field}
            value={code}
            onChange={(event) => change(event.target.value)}
            autoComplete="one-time-code"
            inputMode={backup ? 'text' : 'numeric'}
            maxLength={backup ? BACKUP : DIGITS}
            spellCheck={false}
            className="font-mono tracking-widest"
          />
        )}
      </Field>
      <div className="mt-4 flex flex-col-reverse gap-2 md:flex-row md:justify-end">
        {children}
        <Button
          type="submit"
          variant={destructive ? 'destructive' : 'default'}
          disabled={pending || (!whole && !missing)}
        >
          {submit}
        </Button>
      </div>
    </form>
  )
}
