import { useMutation } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { Button } from '@/components/ui/button'
import { StepUpCancelled, useStepUp } from '@/features/two-factor/step-up'
import { HttpError, messageOf } from '@/lib/http'
import { toast } from '@/lib/toast'
import { adminVouchers as texts } from '@/messages/admin-vouchers'
import { saveExport } from './queries'

/** The codes in a file, all or one batch's: an admin with a second factor enters a fresh code for it. */
export function VoucherExport({ batch }: { batch?: string }) {
  const { run, dialog } = useStepUp()
  const saving = useMutation({
    mutationFn: () => run((code) => saveExport(batch, code)),
    onError: (error) => {
      if (error instanceof StepUpCancelled) return
      const none = error instanceof HttpError && error.code === 'no_vouchers'
      toast({
        title: none ? texts.noneTitle : texts.exportFailed,
        description: messageOf(error, none ? texts.noneText : texts.decisionFailedText),
        variant: 'destructive',
      })
    },
  })
  return (
    <>
      <Button variant="outline" disabled={saving.isPending} onClick={() => saving.mutate()}>
        <Download aria-hidden />
        {texts.export}
      </Button>
      {dialog}
    </>
  )
}
