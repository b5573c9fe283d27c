import type { ReactElement } from 'react'
import { beforeEach, expect, test, vi } from 'vitest'
import { currentToasts } from '@/lib/toast'
import Widget from './widget'

vi.mock('@/messages/locale', async (original) => ({ ...(await original<object>()), language: 'es' }))
vi.mock('@/lib/session', () => ({ useConfig: () => ({}) }))
vi.mock('@/lib/theme', () => ({ isDark: () => false }))
vi.mock('./queries', () => ({ requestToken: () => Promise.reject(new Error('lost')) }))

interface Frame {
  className: string
  expirationHandler: () => Promise<string>
  onError: () => void
  config: { lang: string }
}

const onFailed = vi.fn()

function frame(): Frame {
  return (Widget({ token: 't', onSubmitted: () => undefined, onFailed }) as ReactElement<Frame>).props
}

test('the widget speaks the language of the page', () => {
  expect(frame().config.lang).toBe('es')
})

const said = () => currentToasts().map(({ title, description }) => `${title} / ${description}`)

beforeEach(() => onFailed.mockClear())

test('specification §8: a token that cannot be renewed is told of', async () => {
  await expect(frame().expirationHandler()).rejects.toThrow('lost')
  expect(said()).toEqual(['Error / Failed to initialize verification. Please try again.'])
})

test('specification §4: an error of the widget closes it; it is never lower than 600 px', () => {
  frame().onError()
  expect(said()).toEqual(['Verification Error / There was an error during verification. Please try again.'])
  expect(onFailed).toHaveBeenCalledOnce()
  expect(frame().className).toContain('min-h-[600px]')
})
