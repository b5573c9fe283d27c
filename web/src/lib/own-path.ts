/** The path of this site that a link names; undefined where a browser would leave the site, or make a call. */
export function ownPath(to: unknown): string | undefined {
  if (typeof to !== 'string' || !/^\/(?![/\\])[^\\\p{Cc}]*$/u.test(to)) return undefined
  try {
    const { origin, pathname } = new URL(to, 'https://own.invalid')
    const reached = decodeURIComponent(pathname)
    return origin !== 'https://own.invalid' || /^\/api(\/|$)/.test(reached) ? undefined : to
  } catch {
    return undefined
  }
}
