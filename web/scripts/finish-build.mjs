/**
 * After `vite build`, for each language by itself: the font's preload and the language in index.html; opening.html, the
 * same page for those that come with their first view; these views; and pages.json (what the server needs to know of each
 * address). All come from the code that was just built; the prerenderer itself is not shipped.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { closure } from './chunks.mjs'
import { details } from './pages.mjs'

const locale = process.env.LOCALE ?? 'en'
const root = new URL('../dist/', import.meta.url)
const dist = locale === 'en' ? root : new URL(`${locale}/`, root)
const prerenderer = new URL('.prerender/', dist)

const bundle = readdirSync(prerenderer).find((name) => /^prerender\.m?js$/.test(name))
if (!bundle) throw new Error('the prerenderer was not built')
const built = await import(pathToFileURL(new URL(bundle, prerenderer).pathname).href)
if (built.language !== locale) throw new Error(`${built.language} was built, not ${locale}`)

const manifest = JSON.parse(readFileSync(new URL('.vite/manifest.json', dist), 'utf8'))
const written = []
for (const [pattern, access, title] of built.pages) {
  const detail = details[`${access} ${pattern}`]
  if (!detail) throw new Error(`scripts/pages.mjs says nothing of ${access} ${pattern}`)
  const description = access === 'public' ? built.descriptions[pattern] : undefined
  const narrowed = access === 'public' ? built.narrowed[pattern] : undefined
  if (detail.view) await writeViews(pattern, access, detail.view)
  const preload = closure(manifest, detail.modules).map((file) => `/${file}`)
  written.push({ pattern, access, title, description, narrowed, view: detail.view, preload })
}
writeFileSync(new URL('pages.json', dist), `${JSON.stringify(written, null, 1)}\n`)

// The text font is known before any style sheet is read.
const index = new URL('index.html', dist)
const font = manifest['index.html'].assets.find((file) => /inter-latin-wght-normal-[^/]*\.woff2$/.test(file))
if (!font) throw new Error('the text font is not in the build')
const preload = `<link rel="preload" href="/${font}" as="font" type="font/woff2" crossorigin nonce="__CSP_NONCE__">`
const page = readFileSync(index, 'utf8')
  .replace('<!--head-->', `${preload}\n    <!--head-->`)
  .replace('<html lang="en">', `<html lang="${locale}">`)
  .replace('>Skip to content<', `>${built.skipToContent}<`)
  .replace(/<noscript>[^<]*<\/noscript>/, `<noscript>${built.noScripts}</noscript>`)
writeFileSync(index, page)
writeFileSync(new URL('opening.html', dist), opening(page))

rmSync(prerenderer, { recursive: true })
if (dist !== root) shareAssets()

/** A page's first view for each mode; of a signed-in page, one for each state of identity too. */
async function writeViews(path, access, name) {
  for (const mode of built.modes) {
    if (access === 'public') writeView(path, mode, name, await built.renderView(path, mode))
    else
      for (const identity of built.identities)
        writeView(path, mode, `${name}.${identity}`, await built.renderOutline(path, mode, identity))
  }
}

function writeView(path, mode, name, view) {
  if (/<template|<div hidden/.test(view))
    throw new Error(`a part of ${path} as prerendered would stay hidden`)
  // The server fills in a legal text with its heading.
  if (!view.includes('<h1') && !view.includes('{{legal}}'))
    throw new Error(`${path} as prerendered has no heading`)
  const folder = new URL(`views/${mode}/`, dist)
  mkdirSync(folder, { recursive: true })
  writeFileSync(new URL(`${name}.html`, folder), view)
}

/** The page with its scripts set apart, for opening.js to insert. It stands before the style sheet, for which it would wait. */
function opening(page) {
  const tags = /\s*<(?:script type="module"[^>]*><\/script|link rel="modulepreload"[^>]*)>/g
  const scripts = [...page.matchAll(tags)].map(([tag]) => tag.trim())
  if (!scripts.some((tag) => tag.startsWith('<script'))) throw new Error('index.html has no entry')
  const code = readFileSync(new URL('opening.js', import.meta.url), 'utf8').replace(/^ *\/\/.*\n/gm, '')
  const apart = `<template id="scripts"><!--preload-->${scripts.join('')}</template>\n    <script nonce="__CSP_NONCE__">\n${code}</script>`
  return page
    .replace(tags, '')
    .replace('<!--preload-->', '')
    .replace(/(?=<link rel="stylesheet")/, () => `${apart}\n    `)
}

/**
 * Every language's scripts are served from /assets. A name contains the hash of its content, so equal ones
 * are one.
 */
function shareAssets() {
  const [own, shared] = [new URL('assets/', dist), new URL('assets/', root)]
  mkdirSync(shared, { recursive: true })
  for (const name of readdirSync(own)) {
    const [from, to] = [new URL(name, own), new URL(name, shared)]
    if (existsSync(to) && !readFileSync(from).equals(readFileSync(to)))
      throw new Error(`${name} has another content in another language`)
    renameSync(from, to)
  }
  rmSync(own, { recursive: true })
}
