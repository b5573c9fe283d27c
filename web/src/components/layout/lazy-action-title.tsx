import { lazy, Suspense, useEffect, useState } from 'react'

const ActionTitle = lazy(async () => ({
  default: (await import('@/features/orders/action-title')).ActionTitle,
}))

/** The count of waiting orders in the title; fetched once the page stands. */
export function LazyActionTitle() {
  const [wanted, setWanted] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setWanted(true))
    return () => clearTimeout(timer)
  }, [])
  return wanted ? (
    <Suspense>
      <ActionTitle />
    </Suspense>
  ) : null
}
