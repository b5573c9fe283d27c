const KEY = 'reloaded-release'

/** A chunk of an older release is gone: load the page anew, once a release, so that a broken one cannot loop. */
export function reloadOnceOnMissingChunk(): void {
  // The entry's own address has its hash in it: it names the release.
  const release = import.meta.url
  window.addEventListener('vite:preloadError', (event) => {
    if (sessionStorage.getItem(KEY) === release) return
    sessionStorage.setItem(KEY, release)
    event.preventDefault()
    window.location.reload()
  })
}
