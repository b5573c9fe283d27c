// Of a page that came with its first view: what is painted first must not share a slow line with scripts, so they are
// inserted when it has been (a hidden window paints nothing: there, when all else has loaded). What is pressed before
// React answers there is pressed again when it does: parts come to life one after the other. Links and what opens and
// closes are the browser's own.
{
  const { content } = document.getElementById('scripts')
  const start = () => document.head.append(content)
  new PerformanceObserver(start).observe({ type: 'paint', buffered: true })
  addEventListener('load', () => setTimeout(start, document.hidden ? 0 : 1_000))

  // React marks each element that it has taken over, and listens there once that is committed.
  const answers = (target) => Object.keys(target).some((key) => key.startsWith('__reactProps'))
  const COMMITTED_MS = 400
  const pressed = new Set()
  let waiting
  const pressAgain = () => {
    for (const target of pressed) {
      if (target.isConnected && !answers(target)) continue
      pressed.delete(target)
      setTimeout(() => {
        if (target.type === 'radio') target.checked = false
        target.click()
      }, COMMITTED_MS)
    }
    if (pressed.size === 0) clearInterval(waiting)
  }
  const menus = () => [...document.querySelectorAll('#root summary')]
  const stops = () => [...document.querySelectorAll('#root :is(a, summary)')]
  let focused
  const opened = new Map()
  let live = false
  const hold = (event) => {
    const target = event.target.closest('#root :is(button, summary, [type=radio])')
    if (!target) return
    if (target.matches('summary')) return live || opened.set(target, menus().indexOf(target))
    if (answers(target)) return
    if (pressed.size === 0) waiting = setInterval(pressAgain, 50)
    pressed.add(target)
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
