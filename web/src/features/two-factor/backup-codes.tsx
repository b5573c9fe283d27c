import { Download } from 'lucide-react'
import { Button } from '@/components/ui/button'
import { buttonVariants } from '@/components/ui/button-variants'
import { Dialog, DialogActions, DialogContent } from '@/components/ui/dialog'
import { useConfig } from '@/lib/session'
import { twoFactor as texts } from '@/messages/two-factor'

/** The codes, shown once: only the confirmation that they are saved closes them. */
export function BackupCodesDialog({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const { brand } = useConfig()
  const file = URL.createObjectURL(new Blob([`${codes.join('\n')}\n`], { type: 'text/plain' }))
  return (
    <Dialog open>
      <DialogContent blocking title={texts.backupTitle} description={texts.backupText}>
        <ul className="grid grid-cols-1 gap-2 rounded-md bg-muted p-4 font-mono text-sm sm:grid-cols-2">
          {codes.map((code) => (
            <li key={code} data-testid="backup-code">
              {code}
            </li>
          ))}
        </ul>
        <DialogActions>
          <a
            href={file}
            download={texts.backupFile(brand)}
            className={buttonVariants({ variant: 'outline' })}
          >
            <Download aria-hidden />
            {texts.download}
          </a>
          <Button onClick={onClose}>{texts.saved}</Button>
        </DialogActions>
      </DialogContent>
    </Dialog>
  )
}
