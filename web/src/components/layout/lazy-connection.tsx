import { type ComponentType, useEffect, useState } from 'react'

/** Loads the connection's message after the page: once it is needed, the server may be unreachable. */
export function LazyConnection() {
  const [loaded, setLoaded] = useState<{ Banner: ComponentType }>()
  useEffect(() => {
    import('./connection').then(
      ({ ConnectionBanner }) => setLoaded({ Banner: ConnectionBanner }),
      () => undefined, // The page is as good without it.
    )
  }, [])
  return loaded ? <loaded.Banner /> : null
}
