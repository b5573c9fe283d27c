import type { ReactNode } from 'react'
import { cn } from '@/lib/cn'

export interface Tile<V extends string> {
  value: V
  title: ReactNode
  text?: ReactNode
  leading?: ReactNode
  disabled?: boolean
}

interface TilesProps<V extends string> {
  name: string
  legend: ReactNode
  tiles: readonly Tile<V>[]
  value: V | undefined
  onChange: (value: V) => void
  className?: string
}

/** Radio buttons drawn as tiles: arrow keys, labels and groups are native. */
export function Tiles<V extends string>({ name, legend, tiles, value, onChange, className }: TilesProps<V>) {
  return (
    <fieldset className="min-w-0">
      <legend className="mb-3 text-base font-semibold">{legend}</legend>
      <div className={cn('grid gap-2', className)}>
        {tiles.map((tile) => (
          <label
            key={tile.value}
            className={cn(
              'relative flex min-h-14 cursor-pointer items-center gap-3 rounded-md border border-border bg-card px-3 py-2.5 transition-colors max-[22rem]:gap-2 max-[22rem]:px-2',
              'hover:border-input has-checked:border-primary has-checked:bg-primary-tint has-checked:shadow-[inset_0_0_0_1px_var(--primary)]',
              'has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-ring',
              tile.disabled && 'cursor-not-allowed opacity-60 hover:border-border',
            )}
          >
            <input
              type="radio"
              name={name}
              value={tile.value}
              checked={value === tile.value}
              disabled={tile.disabled}
              onChange={() => onChange(tile.value)}
              className="sr-only"
            />
            {tile.leading}
            <span className="min-w-0">
              <span className="block text-sm font-medium">{tile.title}</span>
              {tile.text ? <span className="block text-xs text-muted-foreground">{tile.text}</span> : null}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
