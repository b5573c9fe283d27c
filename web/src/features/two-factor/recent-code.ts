import { HttpError, type Remedy } from '@/lib/http'

/** Asks the person for a code and gives it to an act, as `run` of useStepUp does. */
export type CodeAsker = (act: (code?: string) => Promise<Response>) => Promise<Response>

/**
 * The remedy for `recent_code_required`: an act that moves money and needs a recent code of the second factor
 * asks for it and is sent again. Concurrent acts share one prompt: a code is valid for ten minutes.
 */
export function recentCode(ask: CodeAsker): Remedy {
  let asking: Promise<unknown> | undefined
  return async (refused, request, send) => {
    if (refused.code !== 'recent_code_required') return refused
    if (asking) {
      await asking
      return send(request)
    }
    const asked = ask(async (code) => {
      const again = request.clone()
      if (code) again.headers.set('x-two-factor-code', code)
      const answer = await send(again)
      if (answer instanceof HttpError) throw answer
      return answer
    })
    asking = asked
      .catch(() => undefined)
      .finally(() => {
        asking = undefined
      })
    return asked
  }
}
