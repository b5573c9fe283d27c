import { lazy, Suspense, useEffect, useState } from 'react'
import { subscribeToasts } from '@/lib/toast'

const Toaster = lazy(() => import('../ui/toaster').then((module) => ({ default: module.Toaster })))

/** Loads the toaster when there is something to say. */
export function LazyToaster() {
  const [wanted, setWanted] = useState(false)
  useEffect(() => subscribeToasts(() => setWanted(true)), [])
  return wanted ? (
    <Suspense>
      <Toaster />
    </Suspense>
  ) : null
}
