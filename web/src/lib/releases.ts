const KEY = 'reloaded-for'

/** A chunk of an older release is gone: load the page anew, once, so that a broken release cannot loop. */
export function reloadOnceOnMissingChunk(): void {
  window.addEventListener('vite:preloadError', (event) => {
    const asked = window.location.href
    if (sessionStorage.getItem(KEY) === asked) return
    sessionStorage.setItem(KEY, asked)
    event.preventDefault()
    window.location.reload()
  })
}
