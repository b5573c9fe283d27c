/** Lists are bare arrays; the next page is in `Link`, the size of the whole filtered set in `X-Total-Count`. */

export interface ListPage<T> {
  items: T[]
  total: number
  next: string | undefined
}

interface Answer<T> {
  data: T
  response: Response
}

/** The cursor of the next page, from `<…?cursor=abc>; rel="next"`. */
export function nextCursor(link: string | null): string | undefined {
  const target = link?.match(/<([^>]*)>\s*;\s*rel="?next"?/)?.[1]
  if (!target) return undefined
  return new URL(target, 'http://site.invalid').searchParams.get('cursor') ?? undefined
}

export function toPage<T>({ data, response }: Answer<T[] | null>): ListPage<T> {
  return pageOf(data ?? [], response)
}

export function pageOf<T>(items: T[], response: Response): ListPage<T> {
  const total = Number(response.headers.get('x-total-count') ?? Number.NaN)
  return {
    items,
    total: Number.isNaN(total) ? items.length : total,
    next: nextCursor(response.headers.get('link')),
  }
}

/** Infinite queries: the pages' rows, each id once (a row may move between pages while they are read). */
export function rowsOf<T extends { id: string }>(pages: readonly ListPage<T>[] | undefined): T[] {
  const rows = new Map<string, T>()
  for (const page of pages ?? [])
    for (const item of page.items) if (!rows.has(item.id)) rows.set(item.id, item)
  return [...rows.values()]
}
