import { lazyRouteComponent } from '@tanstack/react-router'
import { Suspense } from 'react'
import { later } from '@/lib/later'

/** Comes to life after the page above it. The root's loader has it ready for who is signed in. */
export const Footers = lazyRouteComponent(() => import('./footers'), 'Footers')
if (!import.meta.env.SSR) later.add(Footers.preload?.())

export function Footer() {
  return (
    <Suspense>
      <Footers />
    </Suspense>
  )
}
