import { useMutation, useQueryClient } from '@tanstack/react-query'
import { CircleCheck, Mail } from 'lucide-react'
import type { ReactNode } from 'react'
import { confirmByMail, mailLinkAgain } from '@/api/sdk.gen'
import { SendError } from '@/components/form/send-error'
import { Notice } from '@/components/states/states'
import { Time } from '@/components/status/time'
import { Button } from '@/components/ui/button'
import { toast } from '@/lib/toast'
import { confirmTexts as texts } from '@/messages/confirm'
import { useMailedLink } from './mailed-link'

interface ConfirmByMailProps {
  /** Of the payout, data export or order. */
  id: string
  of: keyof typeof texts.of
  /** What its token is kept under; the id unless given. */
  link?: string
  /** Until when it can be confirmed; nothing once it need not be. */
  until: string | null | undefined
  /** What is read again afterwards. */
  reads: string[]
  className?: string
  /** What is confirmed, as its reader is to check it. */
  children?: ReactNode
}

/** A request that waits for its mailed link, or is confirmed here by who came by that link. */
export function ConfirmByMail({ id, of, link = id, until, reads, className, children }: ConfirmByMailProps) {
  const { token, drop } = useMailedLink('confirm', link)
  const client = useQueryClient()
  const readAgain = () => {
    for (const key of reads) void client.invalidateQueries({ queryKey: [key] })
  }
  const confirming = useMutation({
    mutationFn: (given: string) => confirmByMail({ path: { id }, body: { token: given } }),
    onSuccess: ({ data }) => {
      toast({ title: texts.done, description: data.message })
      drop()
    },
    onSettled: readAgain,
  })
  const sending = useMutation({
    mutationFn: () => mailLinkAgain({ path: { id } }),
    onSuccess: ({ data }) => toast({ title: texts.sentAgain, description: data.message }),
    onError: readAgain,
  })
  if (!until)
    return token ? (
      <Notice tone="info" icon={CircleCheck} role="status" title={texts.used} className={className}>
        {texts.usedText}
      </Notice>
    ) : null
  return (
    <Notice
      tone={token ? 'info' : 'pending'}
      icon={Mail}
      role="status"
      title={token ? texts.check : texts.waits}
      className={className}
    >
      {children}
      <p className="mt-2">{texts.of[of]}</p>
      <p className="mt-1">
        {texts.until} <Time at={until} />.
      </p>
      {token ? (
        <>
          <Button className="mt-3" disabled={confirming.isPending} onClick={() => confirming.mutate(token)}>
            {confirming.isPending ? texts.confirming : texts.confirm}
          </Button>
          <SendError error={confirming.error} fallback={texts.failed} money className="mt-3" />
        </>
      ) : (
        <>
          <Button
            variant="outline"
            className="mt-3"
            disabled={sending.isPending}
            onClick={() => sending.mutate()}
          >
            {sending.isPending ? texts.sending : texts.again}
          </Button>
          <SendError error={sending.error} fallback={texts.failed} className="mt-3" />
        </>
      )}
    </Notice>
  )
}
