import { lazyRouteComponent } from '@tanstack/react-router'
import { Suspense } from 'react'

/** Hydrated after the page above it. The root's loader preloads it for signed-in users. */
export const Footers = lazyRouteComponent(() => import('./footers'), 'Footers')
if (!import.meta.env.SSR) void Footers.preload?.()

export function Footer() {
  return (
    <Suspense>
      <Footers />
    </Suspense>
  )
}
