import { beforeEach, describe, expect, test, vi } from 'vitest'

async function load() {
  vi.resetModules()
  return import('./toast')
}

describe('specification §9: toasts', () => {
  let store: Awaited<ReturnType<typeof load>>
  beforeEach(async () => {
    vi.useFakeTimers()
    store = await load()
  })

  test('the numbers', () => {
    expect([store.TOAST_LIMIT, store.TOAST_DURATION_MS, store.TOAST_REMOVE_DELAY_MS]).toEqual([
      1, 5_000, 1_000_000,
    ])
  })

  test('at most one is there: a new one takes the place of the old', () => {
    store.toast({ title: 'first' })
    store.toast({ title: 'second' })
    expect(store.currentToasts().map((entry) => entry.title)).toEqual(['second'])
  })

  test('a page that leaves has the last word, as long as a toast stands', () => {
    store.toast({ title: 'You are logged out', last: true })
    store.toast({ title: 'Sending failed' })
    expect(store.currentToasts().map((entry) => entry.title)).toEqual(['You are logged out'])
    vi.advanceTimersByTime(store.TOAST_DURATION_MS)
    store.toast({ title: 'back again' })
    expect(store.currentToasts().map((entry) => entry.title)).toEqual(['back again'])
  })

  test('a dismissed one closes at once and is removed after 1,000,000 ms', () => {
    const id = store.toast({ title: 'bye' })
    store.dismissToast(id)
    expect(store.currentToasts()[0]?.open).toBe(false)
    vi.advanceTimersByTime(999_999)
    expect(store.currentToasts()).toHaveLength(1)
    vi.advanceTimersByTime(1)
    expect(store.currentToasts()).toHaveLength(0)
  })

  test('what was said on a page goes with it, but not what was said for leaving it', () => {
    const open = () => store.currentToasts()[0]?.open
    store.toast({ title: 'Order Created!' })
    store.leaveToasts()
    expect(open()).toBe(true)
    vi.advanceTimersByTime(1_001)
    store.leaveToasts()
    expect(open()).toBe(false)
    store.toast({ title: 'KYC Verification Required', variant: 'destructive' })
    store.leaveToasts()
    expect(open()).toBe(false)
    store.toast({ title: 'You are logged out', variant: 'destructive', last: true })
    vi.advanceTimersByTime(1_001)
    store.leaveToasts()
    expect(open()).toBe(true)
  })

  test('listeners hear of it until they leave', () => {
    const heard = vi.fn()
    const leave = store.subscribeToasts(heard)
    store.toast({ title: 'one' })
    leave()
    store.toast({ title: 'two' })
    expect(heard).toHaveBeenCalledOnce()
  })
})
