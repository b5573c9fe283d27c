import { Field } from '@/components/form/field'
import { Select } from '@/components/ui/input'
import { books as texts } from '@/messages/admin-books'

interface ChoiceProps<V extends string> {
  id: string
  label: string
  /** Undefined where the list is not narrowed. */
  value: V | undefined
  choices: readonly V[]
  labels?: Readonly<Partial<Record<V, string>>>
  /** What stands for all of them. */
  all?: string
  onChoose: (value: V | undefined) => void
}

/** One filter of a list, from a menu: one of several, or all. */
export function Choice<V extends string>(props: ChoiceProps<V>) {
  const { id, label, value, choices, labels = {}, all = texts.all, onChoose } = props
  // An address may name what there is none of any more.
  const known = value && !choices.includes(value) ? [value, ...choices] : choices
  const named: Partial<Record<V, string>> = labels
  return (
    <Field id={id} label={label}>
      {(field) => (
        <Select
          {...field}
          value={value ?? ''}
          onChange={(event) => onChoose(known.find((choice) => choice === event.target.value))}
        >
          <option value="">{all}</option>
          {known.map((choice) => (
            <option key={choice} value={choice}>
              {named[choice] ?? choice}
            </option>
          ))}
        </Select>
      )}
    </Field>
  )
}
