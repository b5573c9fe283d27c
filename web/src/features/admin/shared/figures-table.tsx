import type { ReactNode } from 'react'

interface FiguresTableProps {
  caption: string
  /** Left out where a row is its name and one figure. */
  columns?: readonly string[]
  rows: readonly { key: string; name: string; figures: readonly ReactNode[] }[]
}

/** A chart's figures as a table, for those who do not see the chart. */
export function FiguresTable({ caption, columns, rows }: FiguresTableProps) {
  return (
    // A table alone is as wide as its figures, hidden or not.
    <div className="sr-only">
      <table>
        <caption>{caption}</caption>
        {columns ? (
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column} scope="col">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
        ) : null}
        <tbody>
          {rows.map(({ key, name, figures }) => (
            <tr key={key}>
              <th scope="row">{name}</th>
              {figures.map((figure, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a figure is known by its column
                <td key={column}>{figure}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
