import { Field } from '@/components/form/field'
import { Input } from '@/components/ui/input'

interface ReferenceFieldProps {
  id: string
  label: string
  hint?: string
  error?: string | undefined
  value: string
  onChange: (value: string) => void
}

/** What something is called at a bank, an exchange or a shop: copied from there, and so never filled in by the browser. */
export function ReferenceField({ value, onChange, ...field }: ReferenceFieldProps) {
  return (
    <Field {...field}>
      {(props) => (
        <Input
          {...props}
          autoComplete="off"
          spellCheck={false}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}
