import { type ComponentProps, useRef, useState } from 'react'
import { Select } from '@/components/ui/input'
import { adminCustomers as texts } from '@/messages/admin-customers'
import { volumeTiers } from './filters'

type Tier = (typeof volumeTiers)[number]

interface TierSelectProps extends Omit<ComponentProps<typeof Select>, 'value' | 'onChange'> {
  tier: string
  onChoose: (tier: Tier) => void
}

/** Keys that move through a closed list, which changes its value without a choice. */
const moves = (key: string) =>
  key.startsWith('Arrow') || key.startsWith('Page') || key.length === 1 || key === 'Home' || key === 'End'

/** A list of tiers in which a click or Enter chooses. Moving through it by keys only shows a tier. */
export function TierSelect({ tier, onChoose, ...props }: TierSelectProps) {
  const [shown, setShown] = useState<string>()
  const byKey = useRef(false)
  const choose = (value: string | undefined) => {
    const found = volumeTiers.find((one) => one === value)
    if (found && found !== tier) onChoose(found)
  }
  return (
    <>
      <Select
        {...props}
        value={shown ?? tier}
        onPointerDown={() => {
          byKey.current = false
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') {
            byKey.current = false
            if (shown === undefined || shown === tier) return
            event.preventDefault()
            choose(shown)
          } else if (event.key !== ' ' && moves(event.key)) byKey.current = !event.altKey
        }}
        onBlur={() => {
          byKey.current = false
          setShown(undefined)
        }}
        onChange={({ target }) => {
          setShown(target.value)
          if (!byKey.current) choose(target.value)
        }}
      >
        {volumeTiers.map((one) => (
          <option key={one} value={one}>
            {texts.tiers[one]}
          </option>
        ))}
      </Select>
      {shown !== undefined && shown !== tier ? (
        <p role="status" className="text-sm text-muted-foreground">
          {texts.pressEnter}
        </p>
      ) : null}
    </>
  )
}
