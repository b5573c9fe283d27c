import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'

/**
 * After a navigation to another path the screen's h1 takes the focus, and the title follows (WCAG 2.4.3, 2.4.2).
 * The first title is the server's, so that the titles of all screens need not be there for the first view.
 */
export function useNavigationFocus(brand: string, signedIn: boolean): void {
  const router = useRouter()
  useEffect(
    () =>
      router.subscribe('onRendered', ({ fromLocation, toLocation, pathChanged }) => {
        if (!fromLocation || !pathChanged) return
        import('@/pages').then(
          ({ titleFor }) => {
            const { pathname } = router.state.location
            if (pathname === toLocation.pathname) document.title = titleFor(pathname, brand, signedIn)
          },
          () => undefined, // Nothing answers, or the release is gone: the title of before is the least of it.
        )
        if (!toLocation.hash)
          document.querySelector<HTMLElement>('h1[tabindex]')?.focus({ preventScroll: true })
      }),
    [router, brand, signedIn],
  )
}
