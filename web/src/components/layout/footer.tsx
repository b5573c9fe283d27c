import { lazyRouteComponent } from '@tanstack/react-router'
import { Later } from './later'

/** Comes to life after the page above it. The root's loader has it ready for who is signed in. */
export const Footers = lazyRouteComponent(() => import('./footers'), 'Footers')
if (!import.meta.env.SSR) void Footers.preload?.()

export function Footer() {
  return (
    <Later>
      <Footers />
    </Later>
  )
}
