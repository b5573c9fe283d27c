import { ExternalLink } from 'lucide-react'
import type { AdminOrder } from '@/api/types.gen'
import { buttonVariants } from '@/components/ui/button-variants'
import { admin } from '@/messages/admin'
import { common } from '@/messages/common'

/** The order's workflow in the Temporal web UI, for those who may see it. */
export function WorkflowLink({ url }: { url: AdminOrder['workflowUrl'] }) {
  if (!url) return null
  return (
    <a
      href={url}
      target="_blank"
      rel="noreferrer"
      className={buttonVariants({ variant: 'link', size: 'sm' })}
    >
      {admin.openWorkflow}
      <ExternalLink aria-hidden />
      <span className="sr-only">({common.openInNewTab})</span>
    </a>
  )
}
