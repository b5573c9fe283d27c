import { type ReactNode, useId } from 'react'
import { adminDashboard as texts } from '@/messages/admin-dashboard'
import { calendarDay } from '../shared/calendar-day'
import { FiguresTable } from '../shared/figures-table'

interface Step {
  day: string
  figure: number | null
}

interface DayChartProps {
  title: string
  /** One figure a step, oldest first; null where there is none. For drawing only. */
  days: readonly Step[]
  /** The same steps of the period before. */
  before: readonly Step[]
  /** The comparison of the two as text. */
  compared: ReactNode
  show: (figure: number) => string
  /** The text in place of the bars where nothing is counted by these steps. */
  uncounted?: string | undefined
}

const WIDTH = 300
const HEIGHT = 96
const GAP = 2

/** Bars with their axes, and their figures as a table for those who do not see them. */
export function DayChart({ title, days, before, compared, show, uncounted }: DayChartProps) {
  const id = useId()
  const highest = Math.max(0, ...[...days, ...before].map((one) => one.figure ?? 0))
  const said = (figure: number | null | undefined) =>
    figure === null || figure === undefined ? texts.noFigure : show(figure)
  const empty = uncounted ?? (highest === 0 ? texts.noData : undefined)
  return (
    <figure className="min-w-0 rounded-lg border bg-card p-4 md:p-5" aria-labelledby={id}>
      <figcaption className="mb-3 tabular-nums">
        <span id={id} className="text-sm text-muted-foreground">
          {title}
        </span>
        <span className="block text-lg font-semibold">{said(days.at(-1)?.figure)}</span>
        <span className="block text-xs text-muted-foreground">
          {texts.latest} · {texts.highest} {said(highest)}
        </span>
        <span className="flex min-h-4 items-baseline gap-1.5 text-xs text-muted-foreground">
          {/* The colour of the bars of the period before. */}
          <span aria-hidden className="size-2 shrink-0 rounded-xs bg-muted-foreground/25" />
          <span>{compared}</span>
        </span>
      </figcaption>
      {empty ? (
        <p className="grid h-32 place-items-center rounded-md border border-dashed text-sm text-muted-foreground">
          {empty}
        </p>
      ) : (
        <div aria-hidden className="text-xs text-muted-foreground tabular-nums">
          <div className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-2">
            <Bars days={days} before={before} highest={highest} said={said} />
            <div className="flex flex-col justify-between text-right leading-none">
              <span>{show(highest)}</span>
              <span>{show(highest / 2)}</span>
              <span>{show(0)}</span>
            </div>
          </div>
          <div className="mt-1.5 flex justify-between gap-2 whitespace-nowrap">
            <span>{stepName(days[0]?.day)}</span>
            <span>{stepName(days.at(-1)?.day)}</span>
          </div>
        </div>
      )}
      <FiguresTable
        caption={title}
        columns={[texts.span, texts.current, texts.before]}
        rows={days.map(({ day, figure }, n) => ({
          key: day,
          name: stepName(day),
          figures: [said(figure), said(before[n]?.figure)],
        }))}
      />
    </figure>
  )
}

interface BarsProps extends Pick<DayChartProps, 'days' | 'before'> {
  highest: number
  said: (figure: number | null | undefined) => string
}

/** Each step's bar before that of the period before, which is wider and paler. */
function Bars({ days, before, highest, said }: BarsProps) {
  const step = WIDTH / Math.max(1, days.length)
  const heightOf = (figure: number | null | undefined) =>
    figure ? Math.max(1.5, (figure / highest) * (HEIGHT - 2)) : 0
  return (
    <svg
      aria-hidden
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      className="h-24 w-full text-primary"
    >
      {[0.5, HEIGHT / 2, HEIGHT - 0.5].map((y) => (
        <line
          key={y}
          x1={0}
          x2={WIDTH}
          y1={y}
          y2={y}
          className="stroke-border"
          vectorEffect="non-scaling-stroke"
        />
      ))}
      {days.map(({ day, figure }, n) => {
        const [height, was] = [heightOf(figure), heightOf(before[n]?.figure)]
        const inset = step * 0.3
        return (
          <g key={day}>
            <rect
              data-before
              x={n * step + GAP / 4}
              y={HEIGHT - was}
              width={Math.max(0.5, step - GAP / 2)}
              height={was}
              className="fill-muted-foreground/25"
            />
            <rect
              x={n * step + inset}
              y={HEIGHT - height}
              width={Math.max(0.5, step - 2 * inset)}
              height={height}
              rx={1}
              fill="currentColor"
            />
            <rect x={n * step} y={0} width={step} height={HEIGHT} fill="transparent">
              <title>{`${stepName(day)}: ${said(figure)} (${texts.before}: ${said(before[n]?.figure)})`}</title>
            </rect>
          </g>
        )
      })}
    </svg>
  )
}

/** "Nov 23, 2026", or "14:00 UTC" of an hour. */
function stepName(step = ''): string {
  const [date, hour] = step.split('T')
  return hour ? `${hour}:00 UTC` : calendarDay(date)
}
