import { Dialog, DialogContent } from '@/components/ui/dialog'
import { queue as texts } from '@/messages/admin-queue'
import { Key, type Shortcut } from './keys'

/** All keys of a list, once they are asked for. */
export default function KeyHelp({
  keys,
  onClose,
}: {
  keys: readonly Pick<Shortcut, 'key' | 'label'>[]
  onClose: () => void
}) {
  return (
    <Dialog open onOpenChange={(open) => (open ? undefined : onClose())}>
      <DialogContent title={texts.keysTitle}>
        <dl className="space-y-2 text-sm">
          {keys.map(({ key, label }) => (
            <div key={key} className="flex items-center justify-between gap-4">
              <dt>{label}</dt>
              <dd>
                <Key>{key}</Key>
              </dd>
            </div>
          ))}
        </dl>
      </DialogContent>
    </Dialog>
  )
}
