import { History } from 'lucide-react'
import { Field } from '@/components/form/field'
import { Notice } from '@/components/states/states'
import type { StatusLook } from '@/components/status/status'
import { Input } from '@/components/ui/input'
import { restored as texts } from '@/messages/admin-restored'

/** The status of what a restored backup holds open: the bank may have sent it already. */
export const restoredLook = (look: StatusLook): StatusLook => ({
  label: texts.look(look.label),
  tone: 'danger',
})

/** Explains that the bank's statement must be read before this is sent. */
export function RestoredNotice({ text, className }: { text: string; className?: string }) {
  return (
    <Notice
      tone="danger"
      icon={History}
      role="status"
      title={texts.title}
      {...(className ? { className } : {})}
    >
      {text}
    </Notice>
  )
}

interface StatementFieldProps {
  id: string
  error?: string | undefined
  value: string
  onChange: (value: string) => void
}

/** What the bank's statement since the restored backup shows. */
export function StatementField({ value, onChange, ...field }: StatementFieldProps) {
  return (
    <Field label={texts.statement} hint={texts.statementHint} {...field}>
      {(props) => (
        <Input
          {...props}
          autoComplete="off"
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}
