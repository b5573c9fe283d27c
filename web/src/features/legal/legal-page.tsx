import { useQuery } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { type LegalDocument, legalQuery } from './queries'
import { LegalText } from './text'

/** A text that customers agree to, as the server renders it; `?version=` shows an earlier or a coming one. */
export function LegalPage({ document }: { document: LegalDocument }) {
  const version = useLocation({
    select: ({ searchStr }) => new URLSearchParams(searchStr).get('version') ?? '',
  })
  const text = useQuery(legalQuery(document, version))
  return (
    <LegalText
      id={`legal-${document}`}
      className="container-page grid items-start gap-12 py-8 md:py-12 lg:grid-cols-[minmax(0,1fr)_18rem]"
      html={text.data?.html ?? ''}
    />
  )
}
