// For a page that came with its first view: its first paint must not share a slow connection with scripts, so
// they are inserted after it (a hidden window paints nothing: there, after all else has loaded). Clicks and
// submits before React answers are repeated when it does: parts hydrate one after the other. Links and
// disclosure elements are handled by the browser.
{
  const { content } = document.getElementById('scripts')
  const start = () => document.head.append(content)
  new PerformanceObserver(start).observe({ type: 'paint', buffered: true })
  addEventListener('load', () => setTimeout(start, document.hidden ? 0 : 1_000))

  // React marks each element that it hydrates, and listens on it once that is committed. A radio button that
  // is pressed in between is hydrated as checked and its change event is lost: such a press is repeated until
  // React's own state of the button agrees.
  const props = (target) => target[Object.keys(target).find((key) => key.startsWith('__reactProps'))]
  const isRadio = (target) => target.type === 'radio'
  const COMMITTED_MS = 400
  const SETTLED_MS = 10_000
  const pressed = new Map()
  let submitted
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
    const [form, submitter] = submitted ?? []
    if (!form?.isConnected) submitted = undefined
    else if (props(form)) {
      submitted = undefined
      form.requestSubmit(submitter)
    }
    if (pressed.size === 0 && !submitted) clearInterval(waiting)
  }
  const repeat = () => {
    clearInterval(waiting)
    waiting = setInterval(pressAgain, 50)
  }
  const menus = () => [...document.querySelectorAll('#root summary')]
  const stops = () => [...document.querySelectorAll('#root :is(a, summary)')]
  let focused
  const opened = new Map()
  const hold = (event) => {
    const target = event.target.closest('#root :is(button, summary, [type=radio])')
    if (!target || (target.type === 'submit' && target.form)) return
    if (target.matches('summary')) return live || opened.set(target, menus().indexOf(target))
    if (!event.isTrusted || (isRadio(target) ? settled() : props(target))) return
    for (const other of pressed.keys())
      if (isRadio(target) && other.name === target.name) pressed.delete(other)
    pressed.set(target)
    repeat()
  }
  // The browser would leave the page with a form of which no handler knows: it is submitted again until one
  // has prevented that. A form that is not valid by then is not submitted, and its browser says why.
  const keep = (event) => {
    if (settled()) return
    const { target, submitter } = event
    let known = false
    event.preventDefault()
    Object.defineProperties(event, {
      preventDefault: {
        value: () => {
          known = true
        },
      },
      defaultPrevented: { get: () => known },
    })
    setTimeout(() => {
      if (known) return
      submitted = [target, submitter]
      repeat()
    })
  }
  const follow = ({ target }) => {
    focused = [target, stops().indexOf(target)]
  }
  // In the capture phase: React stops the propagation of an event on elements that it has not hydrated.
  document.addEventListener('click', hold, true)
  document.addEventListener('submit', keep, true)
  document.addEventListener('focusin', follow)
  document.addEventListener('live', () => {
    live = performance.now()
    document.removeEventListener('focusin', follow)
    // The page replaced its outline: a menu that was open in the outline is opened in the page, and a link
    // that had the focus has it again.
    for (const [old, at] of opened) {
      const menu = menus()[at]
      if (menu && !old.isConnected && old.parentNode.open) menu.parentNode.open = true
    }
    if (focused && !focused[0].isConnected) stops()[focused[1]]?.focus({ preventScroll: true })
  })
}
