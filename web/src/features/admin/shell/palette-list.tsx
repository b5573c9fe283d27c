import { useEffect, useRef } from 'react'
import type { SearchHit } from '@/api/types.gen'
import { StatusBadge } from '@/components/status/badge'
import { cn } from '@/lib/cn'
import { day } from '@/lib/format'
import { adminSearch as texts } from '@/messages/admin-search'
import { lookOf } from './palette-hits'
import { type Section, sectionsFor } from './sections'

/** One entry that can be opened: a page of the back office, or a search hit. */
export interface Choice {
  key: string
  group: string
  page?: Section
  hit?: SearchHit
}

/** The pages whose name holds what was typed, and what was found, in the order in which it is shown. */
export function choicesFor(
  typed: string,
  permissions: readonly string[],
  hits: readonly SearchHit[],
): readonly Choice[] {
  const sections = sectionsFor(permissions).flatMap((group) => group.sections)
  const named = sections.filter(({ label }) => label.toLowerCase().includes(typed.toLowerCase()))
  return [
    ...named.map((page) => ({ key: `page-${page.to.replaceAll('/', '-')}`, group: texts.pages, page })),
    ...hits.map((hit) => ({ key: `${hit.kind}-${hit.id}`, group: texts.kinds[hit.kind], hit })),
  ]
}

interface PaletteListProps {
  id: string
  choices: readonly Choice[]
  active: Choice | undefined
  onActive: (key: string) => void
  onChoose: (choice: Choice) => void
}

/** The listbox below the input, which keeps the focus: `aria-activedescendant` names the active option. */
export function PaletteList({ id, choices, ...rest }: PaletteListProps) {
  if (choices.length === 0) return null
  const groups = [...new Set(choices.map(({ group }) => group))]
  return (
    <div
      id={`${id}-list`}
      role="listbox"
      aria-label={texts.results}
      className="relative min-h-0 overflow-y-auto"
    >
      {groups.map((group) => (
        // biome-ignore lint/a11y/useSemanticElements: a listbox's groups are no fieldsets
        <div key={group} role="group" aria-label={group} className="pb-2">
          <p aria-hidden className="px-3 py-1 text-xs font-medium text-muted-foreground">
            {group}
          </p>
          {choices
            .filter((choice) => choice.group === group)
            .map((choice) => (
              <Option key={choice.key} id={`${id}-${choice.key}`} choice={choice} {...rest} />
            ))}
        </div>
      ))}
    </div>
  )
}

interface OptionProps extends Omit<PaletteListProps, 'choices'> {
  choice: Choice
}

function Option({ id, choice, active, onActive, onChoose }: OptionProps) {
  const own = useRef<HTMLDivElement>(null)
  const selected = choice.key === active?.key
  useEffect(() => {
    if (selected) own.current?.scrollIntoView({ block: 'nearest' })
  }, [selected])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the input above takes the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the input above keeps the focus
    <div
      ref={own}
      id={id}
      role="option"
      aria-selected={selected}
      className={cn(
        'flex min-h-11 cursor-pointer items-center gap-3 rounded-md px-3 py-1.5 text-sm',
        selected && 'bg-accent',
      )}
      onPointerMove={() => onActive(choice.key)}
      onClick={() => onChoose(choice)}
    >
      {choice.page ? <Page page={choice.page} /> : null}
      {choice.hit ? <Hit hit={choice.hit} /> : null}
    </div>
  )
}

function Page({ page: { icon: Icon, label } }: { page: Section }) {
  return (
    <>
      <Icon aria-hidden className="size-4 shrink-0 text-muted-foreground" />
      {label}
    </>
  )
}

function Hit({ hit }: { hit: SearchHit }) {
  return (
    <>
      <span className="min-w-0 flex-1">
        <span className="block truncate font-medium">{hit.title}</span>
        <span className="block truncate text-xs text-muted-foreground">{hit.detail}</span>
      </span>
      <span className="hidden text-xs text-muted-foreground tabular-nums sm:inline">{day(hit.at)}</span>
      <StatusBadge look={lookOf(hit)} />
    </>
  )
}
