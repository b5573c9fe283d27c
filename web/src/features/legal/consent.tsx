import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { Dialog, DialogContent } from '@/components/ui/dialog'
import { messageOf } from '@/lib/http'
import { userQuery, useSignedInUser } from '@/lib/session'
import { toast } from '@/lib/toast'
import { common } from '@/messages/common'
import { consent as texts } from '@/messages/consent'
import { agree, dueQuery } from './queries'
import { LegalText } from './text'

/** Over any page of a customer who has not agreed to a version in force: once until the page is loaded again. */
export function Consent() {
  const due = useSignedInUser().consentDue ?? []
  const client = useQueryClient()
  const [later, setLater] = useState(false)
  const shown = useQuery(dueQuery(due)).data
  const accept = useMutation({
    mutationFn: () => agree(due),
    onSuccess: (user) => client.setQueryData(userQuery.queryKey, user),
    onError: (error) =>
      toast({ title: texts.failed, description: messageOf(error, common.retry), variant: 'destructive' }),
  })
  if (later || due.length === 0) return null
  return (
    <Dialog open onOpenChange={() => setLater(true)}>
      <DialogContent title={texts.title} description={texts.text}>
        {shown?.map(({ document, title, version, changes, html }) => (
          <section key={document} aria-label={texts.version(title, version)} className="mt-4">
            <h3 className="text-sm font-semibold">{texts.version(title, version)}</h3>
            {changes ? (
              <p className="mt-2 text-sm">
                <strong>{texts.changes}:</strong> {changes}
              </p>
            ) : null}
            <LegalText
              tabIndex={0}
              className="mt-2 max-h-60 overflow-y-auto rounded-md border p-3 [&_nav]:hidden"
              html={html}
            />
          </section>
        ))}
        <div className="mt-6 flex flex-wrap justify-end gap-2">
          <Button variant="outline" onClick={() => setLater(true)}>
            {texts.later}
          </Button>
          <Button onClick={() => accept.mutate()} disabled={accept.isPending || !shown}>
            {texts.accept}
          </Button>
        </div>
      </DialogContent>
    </Dialog>
  )
}
