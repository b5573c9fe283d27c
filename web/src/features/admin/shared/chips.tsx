import { cn } from '@/lib/cn'
import { count } from '@/lib/format'

export interface Chip<V extends string> {
  value: V
  label: string
  /** Undefined while it is not known; null where nothing is counted. */
  count: number | null | undefined
}

interface ChipsProps<V extends string> {
  legend: string
  chips: readonly Chip<V>[]
  value: V
  onChange: (value: V) => void
}

/** Filter buttons, each with its count from the server. */
export function Chips<V extends string>({ legend, chips, value, onChange }: ChipsProps<V>) {
  return (
    <fieldset className="flex flex-wrap gap-2">
      <legend className="sr-only">{legend}</legend>
      {chips.map((chip) => (
        <Toggle
          key={chip.value}
          label={chip.label}
          count={chip.count}
          on={value === chip.value}
          onChange={() => onChange(chip.value)}
        />
      ))}
    </fieldset>
  )
}

interface FilterChipsProps<V extends string> {
  legend: string
  /** Undefined where the list is not narrowed. */
  value: V | undefined
  all: { label: string; count: number | null | undefined }
  choices: readonly V[]
  labels: Readonly<Record<V, string>>
  /** Null where a card above says the figure. */
  counts: (choice: V) => number | null | undefined
  onChoose: (value: V | undefined) => void
  /** What the list opens on, where that is no choice of its own. */
  first?: { label: string; count: number | undefined; on: boolean; onChoose: () => void }
}

/** One filter of a list: a chip for each choice, before them one for all of them. */
export function FilterChips<V extends string>(props: FilterChipsProps<V>) {
  const { legend, value, all, choices, labels, counts, onChoose, first } = props
  return (
    <Chips<V | 'all' | 'first'>
      legend={legend}
      value={first?.on ? 'first' : (value ?? 'all')}
      onChange={(chosen) =>
        chosen === 'first' ? first?.onChoose() : onChoose(chosen === 'all' ? undefined : chosen)
      }
      chips={[
        ...(first ? [{ value: 'first' as const, label: first.label, count: first.count }] : []),
        { value: 'all', ...all },
        ...choices.map((choice) => ({ value: choice, label: labels[choice], count: counts(choice) })),
      ]}
    />
  )
}

interface ToggleProps {
  label: string
  count: number | null | undefined
  on: boolean
  onChange: (on: boolean) => void
}

export function Toggle({ label, count: counted, on, onChange }: ToggleProps) {
  return (
    <button
      type="button"
      aria-pressed={on}
      onClick={() => onChange(!on)}
      className={cn(
        'inline-flex h-10 items-center gap-2 rounded-full border px-3.5 text-sm hover:bg-accent md:h-8 md:px-3 md:text-dense',
        'aria-pressed:border-primary aria-pressed:bg-primary-tint aria-pressed:font-medium aria-pressed:text-primary',
      )}
    >
      {label}
      {counted === null ? null : <span className="tabular-nums">{count(counted)}</span>}
    </button>
  )
}
