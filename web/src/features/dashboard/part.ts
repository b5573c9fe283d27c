import { type ComponentType, lazy } from 'react'

/** A part that comes after the page; in its outline (prerender.tsx) stands what the page first shows in its place. */
export function part<P extends object>(load: () => Promise<ComponentType<P>>) {
  return lazy(async () => ({
    default: await (import.meta.env.SSR ? new Promise<ComponentType<P>>(() => {}) : load()),
  }))
}
