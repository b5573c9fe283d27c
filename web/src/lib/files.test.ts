import { afterEach, expect, test, vi } from 'vitest'
import { isReadable, PDF } from './files'

afterEach(() => vi.unstubAllGlobals())

test('a document is one by its beginning, whatever it is called', async () => {
  expect(await isReadable(new File(['%PDF-1.7 …'], 'a.pdf', { type: PDF }))).toBe(true)
  expect(await isReadable(new File(['MZ'], 'a.pdf', { type: PDF }))).toBe(false)
})

test('a picture is one if the browser can draw it', async () => {
  const picture = new File(['x'], 'a.png', { type: 'image/png' })
  vi.stubGlobal('createImageBitmap', () => Promise.reject(new Error('broken')))
  expect(await isReadable(picture)).toBe(false)
  vi.stubGlobal('createImageBitmap', () => Promise.resolve({ close: () => undefined }))
  expect(await isReadable(picture)).toBe(true)
})
