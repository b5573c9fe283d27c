// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act } from 'react'
import { createRoot } from 'react-dom/client'
import { afterEach, expect, test, vi } from 'vitest'
import type { Approval } from '@/api/types.gen'
import { approvalQuery } from './approval-query'
import { useSeen } from './seen'

/** The code of the facts, which arrives when the test says so. */
const code = vi.hoisted(() => {
  let arrive = () => {}
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve
  })
  return { arrived, arrive: () => arrive() }
})
vi.mock('./seen-parts', async (original) => {
  await code.arrived
  return original()
})
vi.mock('./approval-facts', () => ({ ApprovalFacts: () => <p>$1,274.71</p>, detailText: String }))

afterEach(() => {
  document.body.innerHTML = ''
})

function Approving() {
  const seen = useSeen('order_proposal', 'TP-1', true)
  return (
    <>
      {seen.facts}
      <button type="button" disabled={seen.incomplete} />
    </>
  )
}

test('nothing is approved before its facts are on the screen', async () => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
  const client = new QueryClient()
  client.setQueryData(approvalQuery('order_proposal', 'TP-1').queryKey, { version: '7' } as Approval)
  document.body.innerHTML = '<main></main>'
  const main = document.querySelector('main') as HTMLElement
  const root = createRoot(main)
  const button = () => main.querySelector('button')
  await act(async () =>
    root.render(
      <QueryClientProvider client={client}>
        <Approving />
      </QueryClientProvider>,
    ),
  )
  expect(button()?.disabled, 'the facts are read, and not shown').toBe(true)
  expect(main.textContent).not.toContain('$1,274.71')
  await act(async () => {
    code.arrive()
    await import('./seen-parts')
  })
  await vi.waitFor(() => expect(main.textContent).toContain('$1,274.71'), 30_000)
  expect(button()?.disabled).toBe(false)
  await act(async () => root.unmount())
})
