import { beforeEach, describe, expect, test, vi } from 'vitest'
import { recentCode } from '@/features/two-factor/recent-code'
import { common } from '@/messages/common'

/** A fresh copy for each test: the module remembers the CSRF token. */
async function load() {
  vi.resetModules()
  return import('./http')
}

const url = 'http://site.test/api/orders'
const proofUrl = 'http://site.test/api/2fa/verify'

type Answer = [status: number, body: unknown, statusText?: string]

/** Answers calls in order and remembers them. */
function server(...answers: Answer[]) {
  const calls: Request[] = []
  vi.stubGlobal('fetch', (input: RequestInfo, init?: RequestInit) => {
    const request = input instanceof Request ? input.clone() : new Request(new URL(String(input), url), init)
    calls.push(request)
    const [status, body, statusText = ''] = answers[calls.length - 1] ?? [500, 'unexpected call']
    return Promise.resolve(
      new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, statusText }),
    )
  })
  return calls
}

describe('specification §8: errors', () => {
  let http: Awaited<ReturnType<typeof load>>
  beforeEach(async () => {
    http = await load()
  })

  async function failure(...answers: Answer[]) {
    server(...answers)
    return http.appFetch(url).then(
      () => expect.unreachable('it succeeded'),
      (error: unknown) => error,
    ) as Promise<InstanceType<typeof http.HttpError>>
  }

  test('the message is the status, a colon and a space, and the body', async () => {
    expect((await failure([404, 'no such order'])).message).toBe('404: no such order')
  })

  test('the status text stands in for an empty body', async () => {
    expect((await failure([502, '', 'Bad Gateway'])).message).toBe('502: Bad Gateway')
  })

  test("a person reads the body's message, and the field its own", async () => {
    const error = await failure([
      422,
      {
        message: 'Check the form',
        code: 'invalid',
        errors: [{ field: 'destAddress', message: 'Wrong checksum', code: 'bad_checksum' }],
      },
    ])
    expect(http.messageOf(error, 'fallback')).toBe('Check the form')
    expect(http.fieldMessage(error, 'destAddress')).toBe('Wrong checksum')
    expect(http.fieldMessage(error, 'amountAsset')).toBeUndefined()
  })

  test('a lost connection gets the fallback', () => {
    expect(http.messageOf(new TypeError('Failed to fetch'), 'fallback')).toBe('fallback')
  })

  test('an answer without a sentence is our failure, not a lost connection', () => {
    const wordless = new http.HttpError(500, 'Internal Server Error', '<html>500</html>')
    expect(http.failureOf(wordless)).toBe(common.serverFailed)
    expect(http.failureOf(new TypeError('Failed to fetch'))).toBe(common.noAnswer)
  })

  test('a 401 tells the session listener', async () => {
    const lost = vi.fn()
    http.setUnauthorizedListener(lost)
    await failure([401, { message: 'Unauthorized' }], [401, { message: 'Unauthorized' }])
    expect(lost).toHaveBeenCalledOnce()
  })

  test('a 401 beside a call that renews the session is asked again with the new cookie', async () => {
    const lost = vi.fn()
    http.setUnauthorizedListener(lost)
    const gate: { open?: () => void } = {}
    let renewed = false
    vi.stubGlobal('fetch', async (input: RequestInfo) => {
      if (!(input instanceof Request)) return Response.json({ csrfToken: 't' })
      if (input.method === 'POST') {
        await new Promise<void>((resolve) => {
          gate.open = resolve
        })
        renewed = true
        return Response.json({})
      }
      return renewed ? Response.json([]) : Response.json({ message: 'Unauthorized' }, { status: 401 })
    })
    const proof = http.appFetch(proofUrl, { method: 'POST', body: '{}' })
    const read = http.appFetch(url)
    await vi.waitFor(() => expect(gate.open).toBeDefined(), 30_000)
    gate.open?.()
    expect((await read).status).toBe(200)
    expect((await proof).status).toBe(200)
    expect(lost).not.toHaveBeenCalled()
  })
})

describe('unsafe calls', () => {
  test('of the second factor carry the token, fetched once; the others carry none', async () => {
    const http = await load()
    const calls = server([200, { csrfToken: 't1' }], [200, {}], [200, {}], [200, {}])
    await http.appFetch(proofUrl, { method: 'POST', body: '{}' })
    await http.appFetch(proofUrl, { method: 'POST', body: '{}' })
    await http.appFetch(url, { method: 'POST', body: '{}' })
    expect(calls.map((call) => call.headers.get('x-csrf-token'))).toEqual([null, 't1', 't1', null])
  })

  test('a stale token is renewed once, and the same body sent again', async () => {
    const http = await load()
    const calls = server(
      [200, { csrfToken: 'old' }],
      [403, { code: 'csrf_token' }],
      [200, { csrfToken: 'new' }],
      [201, {}],
    )
    const response = await http.appFetch(proofUrl, { method: 'POST', body: '{"a":1}' })
    expect(response.status).toBe(201)
    expect(calls[3]?.headers.get('x-csrf-token')).toBe('new')
    expect(await calls[3]?.text()).toBe('{"a":1}')
  })

  test("say whose page sends them; in another person's session the page leaves", async () => {
    const http = await load()
    const { setOwner, OtherPerson } = await import('./owner')
    const onOther = vi.fn()
    setOwner({ id: 'ada', onOther })
    const calls = server([200, []], [403, { code: 'other_person' }], [200, { id: 'bob' }])
    await http.appFetch(url)
    await expect(http.appFetch(url, { method: 'POST', body: '{}' })).rejects.toBeInstanceOf(OtherPerson)
    expect(calls.map((call) => call.headers.get('x-page-owner'))).toEqual([null, 'ada', null])
    expect(onOther).toHaveBeenCalledOnce()
  })

  test("every answer, also of the token and of what is refused, tells the server's time", async () => {
    const http = await load()
    const { serverNow } = await import('./server-clock')
    const tell = (path: string, hours: number, status = 200) =>
      vi.stubGlobal('fetch', () =>
        Promise.resolve(
          Response.json(
            { csrfToken: path },
            { status, headers: { 'X-Server-Time': new Date(Date.now() + hours * 3_600_000).toISOString() } },
          ),
        ),
      )
    const ahead = () => Math.round((serverNow() - Date.now()) / 3_600_000)
    tell('read', 5)
    await http.appFetch(url)
    expect(ahead()).toBe(5)
    tell('refused', -2, 409)
    await http.appFetch(url, { method: 'POST', body: '{}' }).catch(() => undefined)
    expect(ahead()).toBe(-2)
  })

  test('every call, also for the token, says the language of the page', async () => {
    const http = await load()
    const calls = server([200, { csrfToken: 't' }], [200, {}], [200, []])
    await http.appFetch(proofUrl, { method: 'POST', body: '{}', headers: { 'accept-language': 'xx' } })
    await http.appFetch(url)
    expect(calls.map((call) => call.headers.get('accept-language'))).toEqual(['en', 'en', 'en'])
  })

  test('safe calls carry none', async () => {
    const http = await load()
    const calls = server([200, []])
    await http.appFetch(url)
    expect(calls[0]?.headers.has('x-csrf-token')).toBe(false)
  })
})

describe('acts that move money', () => {
  const needed: Answer = [403, { code: 'recent_code_required', message: 'Please enter a code' }]
  const act = { method: 'POST', body: '{"a":1}' }

  test('are sent again with the code that was asked for', async () => {
    const http = await load()
    const calls = server(needed, [200, {}])
    http.setRemedy(recentCode((send) => send('123456')))
    expect((await http.appFetch(url, act)).status).toBe(200)
    expect(calls[1]?.headers.get('x-two-factor-code')).toBe('123456')
    expect(await calls[1]?.text()).toBe('{"a":1}')
  })

  test('several at once ask once, and the others go without', async () => {
    const http = await load()
    const calls = server(needed, needed, [200, {}], [200, {}])
    const asker = vi.fn(async (send: (code?: string) => Promise<Response>) => {
      await vi.waitFor(() => expect(calls).toHaveLength(2), 30_000)
      return send('123456')
    })
    http.setRemedy(recentCode(asker))
    const answers = await Promise.all([http.appFetch(url, act), http.appFetch(url, act)])
    expect(answers.map((answer) => answer.status)).toEqual([200, 200])
    expect(asker).toHaveBeenCalledOnce()
    expect(calls.slice(2).map((call) => call.headers.get('x-two-factor-code'))).toEqual(['123456', null])
  })

  test('end with what the asker says when the person turns back, and nothing is sent', async () => {
    const http = await load()
    const calls = server(needed)
    const turnedBack = new Error('cancelled')
    http.setRemedy(recentCode(() => Promise.reject(turnedBack)))
    await expect(http.appFetch(url, act)).rejects.toBe(turnedBack)
    expect(calls).toHaveLength(1)
  })
})
