import { CircleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { Notice } from '../states/states'
import { Button } from '../ui/button'
import { Dialog, DialogActions, DialogContent } from '../ui/dialog'

interface ConfirmDialogProps {
  title: string
  /** Says what will happen, with the amounts it is about. */
  text: string
  confirm: string
  working: string
  keep: string
  destructive?: boolean
  pending: boolean
  error: { title: string; text: string } | undefined
  children?: ReactNode
  onConfirm: () => void
  onClose: () => void
}

/** The confirmation before an act that cannot be undone. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, text, confirm, working, keep, destructive, pending, error, children, onConfirm, onClose } =
    props
  return (
    <Dialog open onOpenChange={(open) => (open || pending ? undefined : onClose())}>
      <DialogContent title={title} description={text}>
        {children}
        {error ? (
          <Notice tone="danger" icon={CircleAlert} role="alert" title={error.title} className="mt-4">
            {error.text}
          </Notice>
        ) : null}
        <DialogActions>
          <Button variant="outline" onClick={onClose} disabled={pending}>
            {keep}
          </Button>
          <Button variant={destructive ? 'destructive' : 'default'} onClick={onConfirm} disabled={pending}>
            {pending ? working : confirm}
          </Button>
        </DialogActions>
      </DialogContent>
    </Dialog>
  )
}
