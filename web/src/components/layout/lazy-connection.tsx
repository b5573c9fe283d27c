import { type ComponentType, useEffect, useState } from 'react'

/** Loads the word about the connection after the page: when it is needed there may be nothing to load it from. */
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
