import { common } from '@/messages/common'
import { language } from '@/messages/locale'
import { heard, unheard } from './connection'
import { confirmOwner, ownerId } from './owner'
import { learnRelease } from './releases'
import { learnTime } from './server-clock'

/**
 * The one place that calls the server.
 *
 * - Every non-successful answer becomes an {@link HttpError} whose `message` is "status: body" (specification
 *   §8); what a person reads is its `userMessage`, the body's own `message`.
 * - A 401 notifies the session listener once, which shows the specification's toast and leaves for the login
 *   after 500 ms.
 * - Unsafe calls name the person of the page that sends them; those of the second factor have the
 *   session-bound token of GET /api/csrf-token besides, and a stale one is fetched again, once.
 * - Every answer has the server's time (server-clock.ts), by which the pages count, and its release
 *   (releases.ts).
 * - Every call names its page's language: the server answers in it.
 * - No call waits for ever; connection.ts is notified whether the server answers.
 * - A refusal that the person can resolve, such as by a code of the second factor, is resolved and the call
 *   sent again.
 * - `idempotent()` makes the key of one intent; the caller keeps it across retries of that intent.
 */

export interface FieldError {
  field: string
  message: string
  code?: string
}

/** The body of every refusal: specification §8's `message`, RFC 9457's fields beside it. */
export interface ErrorBody {
  message?: string
  code?: string
  field?: string
  detail?: string
  errors?: unknown
  /** What is no longer as it was shown, where that is why. */
  changes?: readonly { field: string; was: string; is: string }[]
}

export class HttpError extends Error {
  readonly status: number
  readonly code: string
  readonly body: ErrorBody | undefined
  readonly fields: FieldError[]
  /** The seconds of the Retry-After header; 0 without one. */
  readonly retryAfter: number

  constructor(status: number, statusText: string, text: string, retryAfter: string | null = null) {
    super(`${status}: ${text || statusText}`)
    this.name = 'HttpError'
    this.status = status
    this.body = parseBody(text)
    this.code = this.body?.code ?? ''
    this.fields = fieldErrors(this.body)
    this.retryAfter = Number(retryAfter) || 0
  }

  /** The server's message to a person, or undefined. */
  get userMessage(): string | undefined {
    return this.body?.message || this.body?.detail || undefined
  }
}

/** The server's own sentence where it gave one, else `fallback`. Lost connections get the fallback too. */
export function messageOf(error: unknown, fallback: string): string {
  return error instanceof HttpError ? (error.userMessage ?? fallback) : fallback
}

/** Why a call failed: the server's own sentence, that it gave none, or that nothing answered. */
export function failureOf(error: unknown): string {
  return messageOf(error, error instanceof HttpError ? common.serverFailed : common.noAnswer)
}

/** The message for one field of the last refusal. */
export function fieldMessage(error: unknown, field: string): string | undefined {
  if (!(error instanceof HttpError)) return undefined
  const own = error.fields.find((entry) => entry.field === field)
  if (own) return own.message
  return error.body?.field === field ? error.userMessage : undefined
}

function parseBody(text: string): ErrorBody | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as ErrorBody) : undefined
  } catch {
    return undefined
  }
}

function fieldErrors(body: ErrorBody | undefined): FieldError[] {
  const list = Array.isArray(body?.errors) ? body.errors : []
  return list.flatMap((entry: unknown) => {
    if (typeof entry !== 'object' || entry === null) return []
    const { field, location, message, code } = entry as Record<string, unknown>
    const name =
      typeof field === 'string' ? field : typeof location === 'string' ? location.replace(/^body\./, '') : ''
    return name && typeof message === 'string'
      ? [{ field: name, message, ...(typeof code === 'string' ? { code } : {}) }]
      : []
  })
}

let onUnauthorized: (() => void) | undefined

/** The listener of a lost session; set once by the app. */
export function setUnauthorizedListener(listener: () => void): void {
  onUnauthorized = listener
}

type Answer = Response | HttpError
/** Answers a refused request with a new answer, or with the refusal. */
export type Remedy = (
  refused: HttpError,
  request: Request,
  send: (request: Request) => Promise<Answer>,
) => Answer | Promise<Answer>
let remedy: Remedy | undefined

/**
 * The handler that can resolve a refusal by asking the person; set by the back office
 * (two-factor/recent-code.ts).
 */
export function setRemedy(found: Remedy | undefined): void {
  remedy = found
}

/** The timeout of an answer; an upload needs longer on a slow connection. */
const PATIENCE_MS = 30_000
const FILE_PATIENCE_MS = 180_000

function patience(request: Request): number {
  return request.headers.get('content-type')?.startsWith('multipart/') ? FILE_PATIENCE_MS : PATIENCE_MS
}

/** Makes a call, and updates clock, release and connection from its answer or its absence. */
async function asked(call: Request | string): Promise<Response> {
  const at = Date.now()
  const plain = typeof call === 'string'
  const own = plain ? [] : [call.signal]
  const late = AbortSignal.timeout(plain ? PATIENCE_MS : patience(call))
  try {
    const answer = await fetch(call, {
      credentials: 'include',
      signal: AbortSignal.any([...own, late]),
      ...(plain ? { headers: { 'Accept-Language': language } } : {}),
    })
    heard(answer)
    learnTime(answer, at)
    learnRelease(answer)
    return answer
  } catch (error) {
    if (!own.some((signal) => signal.aborted)) unheard()
    throw error
  }
}

const refusal = async (response: Response) =>
  new HttpError(
    response.status,
    response.statusText,
    await response.text(),
    response.headers.get('Retry-After'),
  )

let csrfToken: string | undefined

async function token(): Promise<string> {
  if (!csrfToken) {
    const response = await asked('/api/csrf-token')
    if (!response.ok) throw await refusal(response)
    csrfToken = ((await response.json()) as { csrfToken: string }).csrfToken
  }
  return csrfToken
}

const safe = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Pending calls that change something: proving the second factor is one, and gives the session a new cookie.
 */
const changes = new Set<Promise<Response>>()

async function send(request: Request): Promise<Response> {
  if (safe.has(request.method)) return asked(request)
  const change = sendChange(request)
  changes.add(change)
  return change.finally(() => changes.delete(change))
}

async function sendChange(request: Request): Promise<Response> {
  request.headers.set('x-page-owner', ownerId())
  if (request.url.includes('/api/2fa/')) request.headers.set('x-csrf-token', await token())
  return asked(request)
}

/** A refusal is one too where the token was refused: the session may have ended before anything was sent. */
async function attempt(request: Request): Promise<Response | HttpError> {
  try {
    const response = await send(request)
    return response.ok ? response : await refusal(response)
  } catch (error) {
    if (error instanceof HttpError) return error
    throw error
  }
}

/** What a call is sent again for: a stale CSRF token, and a cookie that may have been renewed beside it. */
async function worthAnotherTry(error: HttpError): Promise<boolean> {
  if (error.code === 'csrf_token') {
    csrfToken = undefined
    return true
  }
  if (error.code === 'other_person') await confirmOwner()
  if (error.status !== 401 || !onUnauthorized) return false
  csrfToken = undefined
  await Promise.allSettled(changes)
  return true
}

/**
 * `fetch` with these rules; the generated client uses it for every call. Throws HttpError on anything but
 * success, and the browser's own TypeError when nothing answered.
 */
export async function appFetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const request = new Request(input, { credentials: 'include', ...init })
  request.headers.set('Accept-Language', language)
  let answer = await attempt(request.clone())
  if (answer instanceof HttpError && (await worthAnotherTry(answer))) answer = await attempt(request.clone())
  if (answer instanceof HttpError && remedy) answer = await remedy(answer, request, attempt)
  if (!(answer instanceof HttpError)) return answer
  if (answer.status === 401) {
    csrfToken = undefined
    onUnauthorized?.()
  }
  throw answer
}

/** The key of one intent to move money: made when the intent is formed, kept for all its retries. */
export function idempotencyKey(): string {
  return crypto.randomUUID()
}
