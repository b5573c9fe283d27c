/** Reading Vite's manifest: which files a set of source modules needs before it can run. */

const entry = 'index.html'

/** Manifest keys that stand for a source module: itself and the parts the router split off it. */
function keysOf(manifest, module) {
  return Object.keys(manifest).filter((key) => key === module || key.startsWith(`${module}?`))
}

/** Script files behind the entry and `modules`, static imports included, entry first, each once. */
export function closure(manifest, modules) {
  const keys = [entry]
  for (const module of modules) {
    const found = keysOf(manifest, module)
    keys.push(...found)
  }
  const files = new Set()
  const visit = (key) => {
    const chunk = manifest[key]
    if (!chunk || files.has(chunk.file)) return
    files.add(chunk.file)
    for (const imported of chunk.imports ?? []) visit(imported)
  }
  for (const key of keys) visit(key)
  return [...files].filter((file) => file.endsWith('.js'))
}

/** Style sheets of the entry. */
export function styles(manifest) {
  return manifest[entry].css ?? []
}
