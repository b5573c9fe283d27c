/** Sign in, sign up and logout are full page navigations to the server (specification §2). */

export const logoutHref = '/api/logout'

interface LoginOptions {
  /** The path of this site to return to. */
  returnTo?: string
  /** Open the sign-up form instead of the sign-in form. */
  signUp?: boolean
  /** Require the password, even of a signed-in person. */
  anew?: boolean
}

export function loginHref({ returnTo, signUp, anew }: LoginOptions = {}): string {
  const query = new URLSearchParams()
  if (returnTo && returnTo !== '/') query.set('returnTo', returnTo)
  if (signUp) query.set('screen', 'signup')
  if (anew) query.set('anew', 'true')
  const text = query.toString()
  return text ? `/api/login?${text}` : '/api/login'
}

/** How long specification §2 lets the toast stand before the browser leaves for the login. */
export const LOGIN_DELAY_MS = 500
