/** Does to every text below an element what a browser's translation does: puts elements of its own in its place. */
export function translate(below: Node): void {
  const texts: Text[] = []
  const walker = document.createTreeWalker(below, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) texts.push(walker.currentNode as Text)
  for (const text of texts) {
    if (/^(SCRIPT|STYLE|TEXTAREA)$/.test(text.parentElement?.tagName ?? '')) continue
    const outer = document.createElement('font')
    outer.append(document.createElement('font'))
    outer.firstElementChild?.append(text.data)
    text.replaceWith(outer)
  }
}
