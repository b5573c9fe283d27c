import type { ErrorComponentProps } from '@tanstack/react-router'
import { messageOf } from '@/lib/http'
import { common } from '@/messages/common'
import { buttonVariants } from '../ui/button-variants'

/** A screen that could not be shown. */
export function Crashed({ error, reset }: ErrorComponentProps) {
  return (
    <div role="alert" className="container-page py-16">
      <h1 tabIndex={-1} className="text-xl">
        {common.somethingFailed}
      </h1>
      <p className="mt-2 max-w-prose text-muted-foreground">{messageOf(error, common.somethingFailedHint)}</p>
      <button type="button" className={buttonVariants({ className: 'mt-6' })} onClick={reset}>
        {common.retry}
      </button>
    </div>
  )
}
