import { type ReactNode, useId, useState } from 'react'
import { Field } from '@/components/form/field'
import { Button } from '@/components/ui/button'
import { Input } from '@/components/ui/input'
import { twoFactor as texts } from '@/messages/two-factor'
import { codeOf } from './code'

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

/** One code and its button: six digits, or a backup code. */
export function CodeForm(props: CodeFormProps) {
  const { label, hint, submit, pending, error, backup, missing, destructive, children, onCode } = props
  const [code, setCode] = useState('')
  const [empty, setEmpty] = useState(false)
  const { whole, long } = codeOf(code, backup)
  const change = (text: string) => {
    setEmpty(false)
    setCode(codeOf(text, backup).shown)
  }
  const tooLong = backup === 'only' || /\D/.test(code) ? texts.longBackup : texts.longCode
  const wrong = long ? tooLong : error
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (pending) return
        if (missing && code === '') setEmpty(true)
        else if (whole) onCode(code)
      }}
    >
      <Field id={useId()} label={label} hint={hint} error={empty ? missing : wrong}>
        {(field) => (
          <Input
            {...field}
            value={code}
            onChange={(event) => change(event.target.value)}
            autoComplete="one-time-code"
            inputMode={backup ? 'text' : 'numeric'}
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
