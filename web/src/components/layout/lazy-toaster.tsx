import { lazy, Suspense, useEffect, useState } from 'react'
import { subscribeToasts } from '@/lib/toast'

const load = () => import('../ui/toaster')
const Toaster = lazy(() => load().then((module) => ({ default: module.Toaster })))

/** Loads the toaster when there is something to say; `wanted`, right after the page, since that may be a lost server. */
export function LazyToaster({ wanted }: { wanted: boolean }) {
  const [shown, setShown] = useState(false)
  useEffect(() => subscribeToasts(() => setShown(true)), [])
  useEffect(() => {
    if (wanted) load().catch(() => undefined)
  }, [wanted])
  return shown ? (
    <Suspense>
      <Toaster />
    </Suspense>
  ) : null
}
