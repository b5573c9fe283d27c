import { useEffect, useState } from 'react'
import { Input, Label } from '../ui/input'

const TYPING_MS = 300
/** The server's own bound: nothing is searched for that is longer. */
const MOST = 100

interface SearchBoxProps {
  id: string
  label: string
  placeholder: string
  value: string
  onChange: (value: string) => void
}

/** Passes on what is typed once the typing pauses; follows the address when Back changes it. */
export function SearchBox({ id, label, placeholder, value, onChange }: SearchBoxProps) {
  const [typed, setTyped] = useState(value)
  useEffect(() => setTyped(value), [value])
  useEffect(() => {
    if (typed === value || typed.trim().length > MOST) return
    const timer = setTimeout(() => onChange(typed.trim()), TYPING_MS)
    return () => clearTimeout(timer)
  }, [typed, value, onChange])
  return (
    <div className="space-y-1.5">
      <Label htmlFor={id}>{label}</Label>
      <Input
        id={id}
        type="search"
        placeholder={placeholder}
        value={typed}
        aria-invalid={typed.trim().length > MOST || undefined}
        onChange={(event) => setTyped(event.target.value)}
      />
    </div>
  )
}
