import { useBlocker } from '@tanstack/react-router'
import { Button } from '@/components/ui/button'
import { Dialog, DialogActions, DialogContent } from '@/components/ui/dialog'
import { adminPricing as texts } from '@/messages/admin-pricing'

/** Asks before entered data is lost by a link, a tab or the browser's own buttons. */
export function UnsavedGuard({ unsaved }: { unsaved: boolean }) {
  const blocker = useBlocker({
    shouldBlockFn: () => unsaved,
    enableBeforeUnload: () => unsaved,
    withResolver: true,
  })
  if (blocker.status !== 'blocked') return null
  return (
    <Dialog open onOpenChange={(open) => (open ? undefined : blocker.reset())}>
      <DialogContent title={texts.leaveTitle} description={texts.leaveText}>
        <DialogActions>
          <Button variant="outline" onClick={blocker.proceed}>
            {texts.leave}
          </Button>
          <Button onClick={blocker.reset}>{texts.stay}</Button>
        </DialogActions>
      </DialogContent>
    </Dialog>
  )
}
