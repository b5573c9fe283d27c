import { useQuery } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { useEffect } from 'react'
import { NotFound } from '@/components/layout/not-found'
import { HttpError } from '@/lib/http'
import { legalQuery } from './queries'
import { LegalText } from './text'

/** A text of the installation, as the server renders it; `?version=` shows an earlier or a coming one. */
export function LegalPage({ document }: { document: string }) {
  const { hash, version } = useLocation({
    select: ({ hash, searchStr }) => ({
      hash,
      version: new URLSearchParams(searchStr).get('version') ?? '',
    }),
  })
  const { data, error } = useQuery(legalQuery(document, version))
  const html = data?.html ?? ''
  // The router looks for the place before the text is there.
  useEffect(() => {
    if (html && hash) globalThis.document.getElementById(hash)?.scrollIntoView()
  }, [html, hash])
  if (error instanceof HttpError && error.status === 404) return <NotFound />
  return (
    <LegalText
      id="legal"
      className="container-page grid items-start gap-12 py-8 md:py-12 lg:grid-cols-[minmax(0,1fr)_18rem]"
      html={html}
    />
  )
}
