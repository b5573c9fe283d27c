import { lazy, Suspense } from 'react'

const Gate = lazy(() => import('@/features/legal/gate'))

/** Loads the dialog for who owes the second factor or a consent. */
export function LazyGate() {
  return (
    <Suspense>
      <Gate />
    </Suspense>
  )
}
