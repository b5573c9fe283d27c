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
  // in between is taken over as it is, chosen, and that it changed is not seen: such a press is repeated until React's own
  // state of the button says so.
  const props = (target) => target[Object.keys(target).find((key) => key.startsWith('__reactProps'))]
  const isRadio = (target) => target.type === 'radio'
  const COMMITTED_MS = 400
  const SETTLED_MS = 10_000
  const pressed = new Map()
  let waiting
  let live = 0
  const settled = () => live && performance.now() - live > SETTLED_MS
  const pressAgain = () => {
    for (const [target, since] of pressed) {
      const state = props(target)
      if (!target.isConnected) {
        pressed.delete(target)
        const same =
          isRadio(target) && document.querySelector(`#root [name="${target.name}"][value="${target.value}"]`)
        if (same) pressed.set(same)
      } else if (isRadio(target) && state?.checked) pressed.delete(target)
      else if (!state || (isRadio(target) && !live)) continue
      else if (!since) pressed.set(target, performance.now())
      else if (performance.now() - since > COMMITTED_MS) {
        pressed.delete(target)
        if (isRadio(target)) {
          if (state.checked === false && !settled()) pressed.set(target)
          target.checked = false
        }
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
    if (!event.isTrusted || (isRadio(target) ? settled() : props(target))) return
    for (const other of pressed.keys())
      if (isRadio(target) && other.name === target.name) pressed.delete(other)
    clearInterval(waiting)
    waiting = setInterval(pressAgain, 50)
    pressed.set(target)
    if (target.type === 'submit') event.preventDefault()
  }
  const follow = ({ target }) => {
    focused = [target, stops().indexOf(target)]
  }
  // In the capture phase: React stops an event on its way up from what it has not taken over.
  document.addEventListener('click', hold, true)
  document.addEventListener('focusin', follow)
  document.addEventListener('live', () => {
    live = performance.now()
    document.removeEventListener('focusin', follow)
    // Another page took the place of an outline: a menu that was open there is open here, and who was at a link is at it.
    for (const [old, at] of opened) {
      const menu = menus()[at]
      if (menu && !old.isConnected && old.parentNode.open) menu.parentNode.open = true
    }
    if (focused && !focused[0].isConnected) stops()[focused[1]]?.focus({ preventScroll: true })
  })
}
