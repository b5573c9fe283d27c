import { lazyRouteComponent } from '@tanstack/react-router'
import { Suspense } from 'react'

/** Comes to life after the page above it. The root's loader has it ready for who is signed in. */
export const Footers = lazyRouteComponent(() => import('./footers'), 'Footers')
if (!import.meta.env.SSR) void Footers.preload?.()

export function Footer() {
  return (
    <Suspense>
      <Footers />
    </Suspense>
  )
}
