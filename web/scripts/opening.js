// Of a page that came with its first view: what is painted first must not share a slow line with scripts, so they are
// inserted when it has been (a hidden window paints nothing: there, when all else has loaded). What is pressed before
// React answers there is pressed again when it does: parts come to life one after the other. Links and what opens and
// closes are the browser's own.
{
  const { content } = document.getElementById('scripts')
  const start = () => document.head.append(content)
  new PerformanceObserver(start).observe({ type: 'paint', buffered: true })
  addEventListener('load', () => setTimeout(start, document.hidden ? 0 : 1_000))

  // React marks each element that it takes over, and listens there once that is committed. A radio button that is pressed
  // in between is taken over as it is, chosen, and that it changed is not seen: those wait for the page to be live.
  const answers = (target) => Object.keys(target).some((key) => key.startsWith('__reactProps'))
  const takesPresses = (target) => answers(target) && (live || target.type !== 'radio')
  const COMMITTED_MS = 400
  const pressed = new Map()
  let waiting
  let live = false
  const pressAgain = () => {
    for (const [target, since] of pressed) {
      if (!target.isConnected) pressed.delete(target)
      else if (!takesPresses(target)) continue
      else if (!since) pressed.set(target, performance.now())
      else if (performance.now() - since > COMMITTED_MS) {
        pressed.delete(target)
        if (target.type === 'radio') target.checked = false
        target.click()
      }
    }
    if (pressed.size === 0) clearInterval(waiting)
  }
  const menus = () => [...document.querySelectorAll('#root summary')]
  const stops = () => [...document.querySelectorAll('#root :is(a, summary)')]
  let focused
  const opened = new Map()
  const hold = (event) => {
    const target = event.target.closest('#root :is(button, summary, [type=radio])')
    if (!target) return
    if (target.matches('summary')) return live || opened.set(target, menus().indexOf(target))
    for (const other of pressed.keys())
      if (target.type === 'radio' && other.name === target.name) pressed.delete(other)
    if (takesPresses(target)) return
    clearInterval(waiting)
    waiting = setInterval(pressAgain, 50)
    pressed.set(target)
    if (target.type === 'submit') event.preventDefault()
  }
  const follow = ({ target }) => {
    focused = [target, stops().indexOf(target)]
  }
  document.addEventListener('click', hold)
  document.addEventListener('focusin', follow)
  document.addEventListener('live', () => {
    live = true
    document.removeEventListener('focusin', follow)
    // Another page took the place of an outline: a menu that was open there is open here, and who was at a link is at it.
    for (const [old, at] of opened) {
      const menu = menus()[at]
      if (menu && !old.isConnected && old.parentNode.open) menu.parentNode.open = true
    }
    if (focused && !focused[0].isConnected) stops()[focused[1]]?.focus({ preventScroll: true })
  })
}
