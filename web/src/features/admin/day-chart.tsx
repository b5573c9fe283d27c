import { useId } from 'react'
import { adminDashboard as texts } from '@/messages/admin-dashboard'
import { FiguresTable } from './figures-table'

interface DayChartProps {
  title: string
  /** One figure a day, oldest first; null where there is none. For drawing only. */
  days: readonly { day: string; figure: number | null }[]
  show: (figure: number) => string
}

const WIDTH = 300
const HEIGHT = 96
const GAP = 2

/** Bars of the last days, with their figures as a table for those who do not see them. */
export function DayChart({ title, days, show }: DayChartProps) {
  const id = useId()
  const highest = Math.max(0, ...days.map((one) => one.figure ?? 0))
  const step = WIDTH / Math.max(1, days.length)
  const said = (figure: number | null | undefined) =>
    figure === null || figure === undefined ? texts.noFigure : show(figure)
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
      </figcaption>
      <svg
        aria-hidden
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        className="h-24 w-full text-primary"
      >
        <line x1={0} x2={WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} className="stroke-border" />
        {days.map(({ day, figure }, n) => {
          const height = highest > 0 && figure ? Math.max(1.5, (figure / highest) * (HEIGHT - 2)) : 0
          return (
            <g key={day}>
              <rect
                x={n * step + GAP / 2}
                y={HEIGHT - height}
                width={step - GAP}
                height={height}
                rx={1}
                fill="currentColor"
              />
              <rect x={n * step} y={0} width={step} height={HEIGHT} fill="transparent">
                <title>{`${day}: ${said(figure)}`}</title>
              </rect>
            </g>
          )
        })}
      </svg>
      <FiguresTable
        caption={title}
        rows={days.map(({ day, figure }) => ({ key: day, name: day, figures: [said(figure)] }))}
      />
    </figure>
  )
}
