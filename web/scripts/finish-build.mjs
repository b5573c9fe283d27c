/**
 * After `vite build`: the font's preload in dist/index.html, dist/landing.html (the signed-out start page as HTML) and dist/pages.json (what the server
 * needs to know of each address). Both come from the code that was just built; the prerenderer itself is not shipped.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { closure } from './chunks.mjs'
import { details } from './pages.mjs'

const dist = new URL('../dist/', import.meta.url)
const prerenderer = new URL('.prerender/', dist)

const bundle = readdirSync(prerenderer).find((name) => /^prerender\.m?js$/.test(name))
if (!bundle) throw new Error('the prerenderer was not built')
const { renderLanding, pages } = await import(pathToFileURL(new URL(bundle, prerenderer).pathname).href)

const landing = await renderLanding()
if (!landing.includes('<h1')) throw new Error('the prerendered landing page has no heading')
writeFileSync(new URL('landing.html', dist), landing)

const manifest = JSON.parse(readFileSync(new URL('.vite/manifest.json', dist), 'utf8'))
const written = pages.map(([pattern, access, title]) => {
  const detail = details[`${access} ${pattern}`]
  if (!detail) throw new Error(`scripts/pages.mjs says nothing of ${access} ${pattern}`)
  const preload = closure(manifest, detail.modules).map((file) => `/${file}`)
  return {
    pattern,
    access,
    title,
    ...(detail.description ? { description: detail.description } : {}),
    preload,
  }
})
writeFileSync(new URL('pages.json', dist), `${JSON.stringify(written, null, 1)}\n`)

// The text font is known before any style sheet is read.
const index = new URL('index.html', dist)
const font = manifest['index.html'].assets.find((file) => /inter-latin-wght-normal-[^/]*\.woff2$/.test(file))
if (!font) throw new Error('the text font is not in the build')
const preload = `<link rel="preload" href="/${font}" as="font" type="font/woff2" crossorigin nonce="__CSP_NONCE__">`
writeFileSync(index, readFileSync(index, 'utf8').replace('<!--head-->', `${preload}\n    <!--head-->`))

rmSync(prerenderer, { recursive: true })
