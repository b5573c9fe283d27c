import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ShieldCheck } from 'lucide-react'
import { useState } from 'react'
import { disableTwoFactor, regenerateBackupCodes } from '@/api/sdk.gen'
import type { TwoFactorStatus } from '@/api/types.gen'
import { Page } from '@/components/layout/page'
import { Failed, LoadingRows, Notice } from '@/components/states/states'
import { Button } from '@/components/ui/button'
import { Card, CardLead, CardTitle } from '@/components/ui/card'
import { messageOf } from '@/lib/http'
import { userQuery } from '@/lib/session'
import { toast } from '@/lib/toast'
import { twoFactor as texts } from '@/messages/two-factor'
import { BackupCodesDialog } from './backup-codes'
import { CodeDialog } from './code-dialog'
import { twoFactorQuery } from './queries'
import { RecoveryNotice } from './recovery'
import { SetUp } from './set-up'

/** specification §2: set up, enabled view with regenerate and disable, backup codes. */
export function TwoFactorScreen() {
  const client = useQueryClient()
  const status = useQuery(twoFactorQuery)
  const [codes, setCodes] = useState<readonly string[]>()
  const changed = () => {
    void client.invalidateQueries({ queryKey: twoFactorQuery.queryKey })
    void client.invalidateQueries({ queryKey: userQuery.queryKey })
  }
  return (
    <Page title={texts.title} lead={texts.lead}>
      <div className="space-y-6">
        {status.error ? (
          <Failed title={texts.fetchFailed} error={status.error} retry={() => void status.refetch()} />
        ) : null}
        {status.isPending ? <LoadingRows rows={2} /> : null}
        {status.data?.recovery ? <RecoveryNotice recovery={status.data.recovery} /> : null}
        {status.data?.enabled ? <Enabled status={status.data} onChange={changed} onCodes={setCodes} /> : null}
        {status.data && !status.data.enabled ? (
          <Card>
            <CardTitle>{texts.off}</CardTitle>
            <CardLead className="mb-4">{texts.offHint}</CardLead>
            <SetUp onCodes={setCodes} />
          </Card>
        ) : null}
        {codes ? (
          <BackupCodesDialog
            codes={codes}
            onClose={() => {
              setCodes(undefined)
              changed()
            }}
          />
        ) : null}
      </div>
    </Page>
  )
}

interface EnabledProps {
  status: TwoFactorStatus
  onChange: () => void
  onCodes: (codes: readonly string[]) => void
}

function Enabled({ status, onChange, onCodes }: EnabledProps) {
  const [asking, setAsking] = useState<'regenerate' | 'disable'>()
  return (
    <Card>
      <Notice tone="success" icon={ShieldCheck} title={texts.on}>
        {texts.codesLeft(status.backupCodesLeft)}
      </Notice>
      {status.demanded ? <CardLead className="mt-4">{texts.demanded}</CardLead> : null}
      <div className="mt-4 flex flex-wrap gap-2">
        <Button variant="outline" onClick={() => setAsking('regenerate')}>
          {texts.regenerate}
        </Button>
        <Button variant="outline" onClick={() => setAsking('disable')}>
          {texts.disable}
        </Button>
      </div>
      {asking === 'regenerate' ? (
        <Regenerate
          onClose={() => setAsking(undefined)}
          onCodes={(fresh) => {
            setAsking(undefined)
            onCodes(fresh)
          }}
        />
      ) : null}
      {asking === 'disable' ? <Disable onClose={() => setAsking(undefined)} onDone={onChange} /> : null}
    </Card>
  )
}

function Regenerate({
  onClose,
  onCodes,
}: {
  onClose: () => void
  onCodes: (codes: readonly string[]) => void
}) {
  const regenerate = useMutation({
    mutationFn: async (token: string) => (await regenerateBackupCodes({ body: { token } })).data,
    gcTime: 0,
    onSuccess: (answer) => {
      toast({ title: texts.regenerated, description: texts.regeneratedText })
      onCodes(answer.backupCodes ?? [])
    },
    onError: (error) =>
      toast({
        title: texts.regenerationFailed,
        description: messageOf(error, texts.regenerationFailedText),
        variant: 'destructive',
      }),
  })
  return (
    <CodeDialog
      missing={texts.codeRequired}
      title={texts.regenerate}
      text={texts.regenerateText}
      pending={regenerate.isPending}
      error={regenerate.error ? messageOf(regenerate.error, texts.regenerationFailedText) : undefined}
      onCode={(code) => regenerate.mutate(code)}
      onClose={onClose}
    />
  )
}

function Disable({ onClose, onDone }: { onClose: () => void; onDone: () => void }) {
  const disable = useMutation({
    mutationFn: (token: string) => disableTwoFactor({ body: { token } }),
    onSuccess: () => {
      toast({ title: texts.disabledToast, description: texts.disabledText })
      onClose()
      onDone()
    },
    onError: (error) =>
      toast({
        title: texts.disableFailed,
        description: messageOf(error, texts.invalidCode),
        variant: 'destructive',
      }),
  })
  return (
    <CodeDialog
      destructive
      missing={texts.codeRequired}
      title={texts.disable}
      text={texts.disableText}
      pending={disable.isPending}
      error={disable.error ? messageOf(disable.error, texts.invalidCode) : undefined}
      onCode={(code) => disable.mutate(code)}
      onClose={onClose}
    />
  )
}
