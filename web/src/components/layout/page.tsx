import { createContext, lazy, type ReactNode, Suspense, useContext } from 'react'
import { cn } from '@/lib/cn'
import { useUser } from '@/lib/session'

const ConfirmAddress = lazy(() =>
  import('@/features/address/confirm-address').then((module) => ({ default: module.ConfirmAddress })),
)

interface PageProps {
  title: ReactNode
  /** The record's state, beside its name. */
  status?: ReactNode
  lead?: ReactNode
  actions?: ReactNode
  children: ReactNode
}

/** Set by a frame around screens (settings), which has the page's margins itself. */
export const Framed = createContext(false)

/** A screen: one h1, which takes the focus after navigation, below what its reader has to do before anything else. */
export function Page({ title, status, lead, actions, children }: PageProps) {
  const user = useUser()
  const framed = useContext(Framed)
  return (
    <div className={cn(!framed && 'container-page py-6 md:py-10')}>
      {user && !user.emailVerified ? (
        <Suspense>
          <ConfirmAddress />
        </Suspense>
      ) : null}
      <PageHead title={title} status={status} lead={lead} actions={actions} />
      {children}
    </div>
  )
}

export function PageHead({ title, status, lead, actions }: Omit<PageProps, 'children'>) {
  return (
    <div className="mb-6 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
      <div className="min-w-0 max-md:contents md:flex-1 md:basis-80">
        <div className="flex min-w-0 grow flex-wrap items-center gap-x-3 gap-y-2">
          <h1 tabIndex={-1} className="min-w-0 text-xl wrap-anywhere">
            {title}
          </h1>
          {status}
        </div>
        {lead ? (
          <p className="max-w-3xl text-sm text-balance mt-1 max-md:order-1 max-md:w-full wrap-anywhere text-muted-foreground">
            {lead}
          </p>
        ) : null}
      </div>
      {actions ? <div className="flex flex-wrap items-center gap-2">{actions}</div> : null}
    </div>
  )
}
