import type { ReactNode } from 'react'
import { legal } from '@/messages/legal'

export interface Part {
  heading: string
  body: readonly string[]
  id?: string
}

/** Where a section is found: its id, or what its heading makes of one. */
function anchorOf({ id, heading }: Pick<Part, 'heading' | 'id'>): string {
  return id ?? heading.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '-')
}

/** Long text: one column of a comfortable width, and beside it what it contains. */
export function Prose({
  title,
  lead,
  parts,
  further = [],
  children,
}: {
  title: string
  lead: string
  parts: readonly Part[]
  /** Sections among the children, for the list of contents. */
  further?: readonly Pick<Part, 'heading' | 'id'>[]
  children?: ReactNode
}) {
  return (
    <article className="container-page grid items-start gap-12 py-8 md:py-12 lg:grid-cols-[minmax(0,1fr)_18rem]">
      <div className="max-w-prose">
        <h1 tabIndex={-1} className="text-2xl">
          {title}
        </h1>
        <p className="mt-3 text-base text-muted-foreground">{lead}</p>
        {parts.map((part) => (
          <section key={part.heading} id={anchorOf(part)} className="mt-8 scroll-mt-24">
            <h2 className="text-lg">{part.heading}</h2>
            {part.body.map((paragraph) => (
              <p key={paragraph} className="mt-2 text-base">
                {paragraph}
              </p>
            ))}
          </section>
        ))}
        {children}
      </div>
      <nav
        aria-labelledby="on-this-page"
        className="sticky top-28 rounded-lg border bg-card p-5 text-sm max-lg:hidden"
      >
        <h2 id="on-this-page" className="text-sm">
          {legal.onThisPage}
        </h2>
        <ul className="mt-2">
          {[...parts, ...further].map((part) => (
            <li key={part.heading}>
              <a
                href={`#${anchorOf(part)}`}
                className="block rounded-sm py-1 text-muted-foreground hover:text-foreground hover:underline"
              >
                {part.heading}
              </a>
            </li>
          ))}
        </ul>
      </nav>
    </article>
  )
}
