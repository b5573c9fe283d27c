import { lazy, Suspense } from 'react'

const Gate = lazy(() =>
  import('@/features/two-factor/gate').then((module) => ({ default: module.TwoFactorGate })),
)

/** Loads the second factor's dialog for who owes it. */
export function LazyGate() {
  return (
    <Suspense>
      <Gate />
    </Suspense>
  )
}
