import type { ErrorComponentProps } from '@tanstack/react-router'
import { useEffect } from 'react'
import { connection, onConnection } from '@/lib/connection'
import { messageOf } from '@/lib/http'
import { isMissingChunk } from '@/lib/releases'
import { common } from '@/messages/common'
import { buttonVariants } from '../ui/button-variants'

function reload(): void {
  window.location.reload()
}

/** A screen that could not be shown. One with a missing chunk recovers when the server does. */
export function Crashed({ error, reset }: ErrorComponentProps) {
  const missing = isMissingChunk(error)
  useEffect(() => {
    if (!missing) return
    return onConnection(() => {
      if (!connection().lost) reload()
    })
  }, [missing])
  return (
    <div role="alert" className="container-page py-16">
      <h1 tabIndex={-1} className="text-xl">
        {missing ? common.partMissing : common.somethingFailed}
      </h1>
      <p className="mt-2 max-w-prose text-muted-foreground">
        {missing ? common.partMissingHint : messageOf(error, common.somethingFailedHint)}
      </p>
      <button
        type="button"
        className={buttonVariants({ className: 'mt-6' })}
        onClick={missing ? reload : reset}
      >
        {missing ? common.reload : common.retry}
      </button>
    </div>
  )
}
