import { Link, useLocation } from '@tanstack/react-router'
import { loginHref } from '@/lib/login'
import { useUser } from '@/lib/session'
import { common } from '@/messages/common'
import { buttonVariants } from '../ui/button-variants'

/**
 * The specification's 404 page; a visitor gets the sign-in link in the first view, and returns here after it.
 */
export function NotFound() {
  const user = useUser()
  const path = useLocation({ select: (location) => location.href })
  return (
    <div className="container-page flex flex-1 flex-col items-start py-16 md:items-center md:py-24 md:text-center">
      <h1 tabIndex={-1} className="text-2xl">
        {common.notFound}
      </h1>
      <p className="mt-2 max-w-prose text-muted-foreground">
        {user ? common.notFoundHint : common.notFoundSignedOut}
      </p>
      <div className="mt-6 flex flex-wrap gap-2">
        {user ? null : (
          <a href={loginHref({ returnTo: path })} className={buttonVariants()}>
            {common.signIn}
          </a>
        )}
        <Link to="/" className={buttonVariants({ variant: user ? 'default' : 'outline' })}>
          {common.notFoundHome}
        </Link>
      </div>
    </div>
  )
}
