import { useEffect, useState } from 'react'
import { Input, Label } from '../ui/input'

const TYPING_MS = 300

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
    if (typed === value) return
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
        maxLength={100}
        onChange={(event) => setTyped(event.target.value)}
      />
    </div>
  )
}
