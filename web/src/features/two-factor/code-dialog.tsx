import { Button } from '@/components/ui/button'
import { Dialog, DialogContent } from '@/components/ui/dialog'
import { common } from '@/messages/common'
import { twoFactor as texts } from '@/messages/two-factor'
import { CodeForm } from './code-form'

interface CodeDialogProps {
  title: string
  text: string
  pending: boolean
  error: string | undefined
  /** The error when nothing was entered. */
  missing?: string
  destructive?: boolean
  onCode: (code: string) => void
  onClose: () => void
}

/** Asks for a fresh code before an act: the only such dialog. */
export function CodeDialog({ title, text, pending, error, onCode, onClose, ...form }: CodeDialogProps) {
  return (
    <Dialog open onOpenChange={(open) => (open || pending ? undefined : onClose())}>
      <DialogContent title={title} description={text}>
        <CodeForm
          label={texts.codeOrBackup}
          submit={texts.confirm}
          backup="too"
          pending={pending}
          error={error}
          onCode={onCode}
          {...form}
        >
          <Button variant="outline" onClick={onClose} disabled={pending}>
            {common.cancel}
          </Button>
        </CodeForm>
      </DialogContent>
    </Dialog>
  )
}
