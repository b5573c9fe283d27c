interface LegalTextProps {
  html: string
  id?: string
  className: string
  tabIndex?: 0
}

/**
 * The one place that shows HTML of the server: Markdown of the operator's own files, rendered without raw HTML and
 * without links that run scripts (internal/legal).
 */
export function LegalText({ html, ...box }: LegalTextProps) {
  const Box = box.id ? 'article' : 'div'
  // biome-ignore lint/security/noDangerouslySetInnerHtml: see above
  return <Box {...box} dangerouslySetInnerHTML={{ __html: html }} />
}

let opening = true

/** The text in a page's first view, which was rendered with the page; only the first question can be answered so. */
export function firstText(id: string): { html: string } | undefined {
  const there = opening ? globalThis.document?.getElementById(id) : undefined
  opening = false
  return there ? { html: there.innerHTML } : undefined
}
