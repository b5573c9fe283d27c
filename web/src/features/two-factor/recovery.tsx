import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ChevronRight, TriangleAlert } from 'lucide-react'
import { askTwoFactorRecovery, cancelTwoFactorRecovery } from '@/api/sdk.gen'
import type { TwoFactorRecovery } from '@/api/types.gen'
import { FieldErrorText } from '@/components/form/field'
import { Notice } from '@/components/states/states'
import { Button } from '@/components/ui/button'
import { longTime } from '@/lib/format'
import { messageOf } from '@/lib/http'
import { toast } from '@/lib/toast'
import { twoFactor as texts } from '@/messages/two-factor'
import { twoFactorQuery } from './queries'

/** A request to remove the factor is pending: its owner can stop it here. */
export function RecoveryNotice({ recovery }: { recovery: TwoFactorRecovery }) {
  const client = useQueryClient()
  const keep = useMutation({
    mutationFn: () => cancelTwoFactorRecovery(),
    onSuccess: () => toast({ title: texts.kept }),
    onError: (error) =>
      toast({
        title: texts.keepFailed,
        description: messageOf(error, texts.keepFailed),
        variant: 'destructive',
      }),
    onSettled: () => void client.invalidateQueries({ queryKey: twoFactorQuery.queryKey }),
  })
  return (
    <Notice tone="pending" icon={TriangleAlert} title={texts.askedTitle}>
      <p>{texts.asked(longTime(recovery.readyAt), recovery.reference)}</p>
      <Button
        variant="outline"
        size="sm"
        className="mt-3"
        disabled={keep.isPending}
        onClick={() => keep.mutate()}
      >
        {texts.keep}
      </Button>
    </Notice>
  )
}

/** For who has neither phone nor backup codes any more. */
export function AskForRecovery() {
  const client = useQueryClient()
  const ask = useMutation({
    mutationFn: () => askTwoFactorRecovery(),
    onSettled: () => void client.invalidateQueries({ queryKey: twoFactorQuery.queryKey }),
  })
  return (
    <details className="group text-sm">
      <summary className="flex list-none items-center gap-1.5 rounded-sm font-medium [&::-webkit-details-marker]:hidden">
        <ChevronRight
          aria-hidden
          className="size-4 shrink-0 text-muted-foreground transition-transform group-open:rotate-90"
        />
        {texts.lost}
      </summary>
      <p className="mt-2 text-muted-foreground">{texts.lostText}</p>
      {ask.error ? (
        <FieldErrorText id="ask-error">{messageOf(ask.error, texts.askFailed)}</FieldErrorText>
      ) : null}
      <Button
        variant="outline"
        size="sm"
        className="mt-3"
        disabled={ask.isPending}
        onClick={() => ask.mutate()}
      >
        {texts.ask}
      </Button>
    </details>
  )
}
