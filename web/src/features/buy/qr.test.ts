import { encodeQR } from 'qr'
import { expect, test } from 'vitest'
import { readQr } from './qr'

type Pixel = readonly [red: number, green: number, blue: number]

const black: Pixel = [0, 0, 0]
const white: Pixel = [255, 255, 255]

/** A code as a camera's picture, `size` pixels a module, on a ground that is larger than it. */
function pictureOf(text: string, { size = 5, dark = black, light = white, grain = 0 } = {}) {
  const modules = encodeQR(text, 'raw', { border: 6 })
  const width = modules.length * size
  const data = new Uint8ClampedArray(width * width * 4)
  let seed = 1
  for (let at = 0; at < width * width; at++) {
    const isDark = modules[Math.floor(at / width / size)]?.[Math.floor((at % width) / size)] ?? false
    seed = (seed * 48_271) % 2_147_483_647
    const noise = (seed % (2 * grain + 1)) - grain
    data.set([...(isDark ? dark : light).map((value) => value + noise), 255], at * 4)
  }
  return { data, width, height: width }
}

const texts = [
  'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
  'bitcoin:BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4?amount=0.002&label=My%20wallet',
  'ethereum:0xdac17f958d2ee523a2206206994597c13d831ec7/transfer?address=0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed&uint256=1e6',
]

test.each(texts)('%s is read from a picture of its code', (text) => {
  expect(readQr(pictureOf(text))).toBe(text)
  expect(readQr(pictureOf(text, { size: 3, dark: [70, 60, 50], light: [190, 200, 180], grain: 25 }))).toBe(
    text,
  )
})

test('a code that a dark screen shows in white is read as well', () => {
  expect(readQr(pictureOf(texts[0] ?? '', { dark: white, light: black }))).toBe(texts[0])
})

test('where there is no code, none is read', () => {
  const { data, ...size } = pictureOf('x', { dark: white })
  expect(readQr({ data, ...size })).toBeUndefined()
  const code = pictureOf(texts[0] ?? '')
  code.data.fill(255, 0, code.data.length / 2)
  expect(readQr(code)).toBeUndefined()
})
