import { lazyRouteComponent } from '@tanstack/react-router'
import { Suspense } from 'react'
import { useUser } from '@/lib/session'

/** Hydrated after the page above them. The root's loader preloads what the person has. */
export const Footers = lazyRouteComponent(() => import('./footers'), 'Footers')
export const VisitorFooter = lazyRouteComponent(() => import('./visitor-footer'), 'VisitorFooter')

export function Footer() {
  return <Suspense>{useUser() ? <Footers /> : <VisitorFooter />}</Suspense>
}
