// Of a page that came with its first view: what is painted first must not share a slow line with scripts, so they are
// inserted when it has been (a hidden window paints nothing: there, when all else has loaded). What is pressed before
// React answers is pressed again when it does; links and what opens and closes are the browser's own.
{
  const { content } = document.getElementById('scripts')
  const start = () => document.head.append(content)
  new PerformanceObserver(start).observe({ type: 'paint', buffered: true })
  addEventListener('load', () => setTimeout(start, document.hidden ? 0 : 1_000))

  const pressed = new Set()
  const hold = (event) => {
    const target = event.target.closest('#root :is(button, [type=radio])')
    if (!target) return
    pressed.add(target)
    if (target.type === 'submit') event.preventDefault()
  }
  document.addEventListener('click', hold)
  document.addEventListener('live', () => {
    document.removeEventListener('click', hold)
    for (const target of pressed) {
      if (target.type === 'radio') target.checked = false
      target.click()
    }
  })
}
