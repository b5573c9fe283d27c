import type { ReactNode } from 'react'

export interface Part {
  heading: string
  body: readonly string[]
  id?: string
}

/** Long text: one column of a comfortable width. */
export function Prose({
  title,
  lead,
  parts,
  children,
}: {
  title: string
  lead: string
  parts: readonly Part[]
  children?: ReactNode
}) {
  return (
    <article className="container-page py-8 md:py-12">
      <div className="max-w-prose">
        <h1 tabIndex={-1} className="text-2xl">
          {title}
        </h1>
        <p className="mt-3 text-base text-muted-foreground">{lead}</p>
        {parts.map((part) => (
          <section key={part.heading} id={part.id} className="mt-8">
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
    </article>
  )
}
