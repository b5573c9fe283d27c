import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { titleFor } from '@/pages'

/** After a navigation to another path the screen's h1 takes the focus, and the title follows (WCAG 2.4.3, 2.4.2). */
export function useNavigationFocus(brand: string, signedIn: boolean): void {
  const router = useRouter()
  useEffect(() => {
    document.title = titleFor(router.state.location.pathname, brand, signedIn)
    return router.subscribe('onRendered', ({ fromLocation, toLocation, pathChanged }) => {
      document.title = titleFor(toLocation.pathname, brand, signedIn)
      if (!fromLocation || !pathChanged || toLocation.hash) return
      document.querySelector<HTMLElement>('h1[tabindex]')?.focus({ preventScroll: true })
    })
  }, [router, brand, signedIn])
}
