import { useMutation, useQuery } from '@tanstack/react-query'
import { Tabs } from 'radix-ui'
import { useState } from 'react'
import { passTwoFactor } from '@/api/sdk.gen'
import { Dialog, DialogContent, focusField } from '@/components/ui/dialog'
import { textLink } from '@/components/ui/text-link'
import { cn } from '@/lib/cn'
import { dropAllDrafts } from '@/lib/drafts'
import { messageOf } from '@/lib/http'
import { logoutHref } from '@/lib/login'
import { useSignedInUser } from '@/lib/session'
import { toast } from '@/lib/toast'
import { twoFactor as texts } from '@/messages/two-factor'
import { BackupCodesDialog } from './backup-codes'
import { CodeForm } from './code-form'
import { twoFactorQuery } from './queries'
import { AskForRecovery, RecoveryNotice } from './recovery'
import { SetUp } from './set-up'

/** How long the toast stands before the page reloads with its new session. */
const RELOAD_MS = 1_000

/** Over any page until the second factor was shown, or set up where the role needs one. Nothing closes it. */
export function TwoFactorGate() {
  const { twoFactorEnabled } = useSignedInUser()
  const [codes, setCodes] = useState<readonly string[]>()
  if (codes) return <BackupCodesDialog codes={codes} onClose={() => window.location.reload()} />
  return (
    <Dialog open>
      <DialogContent
        blocking
        onOpenAutoFocus={focusField}
        title={twoFactorEnabled ? texts.blockingTitle : texts.setupNeeded}
        description={twoFactorEnabled ? texts.blockingText : texts.setupNeededText}
      >
        {twoFactorEnabled ? <Confirm /> : <SetUp onCodes={setCodes} />}
        <p className="mt-6 border-t pt-4 text-sm">
          <a href={logoutHref} onClick={dropAllDrafts} className={textLink}>
            {texts.logout}
          </a>
        </p>
      </DialogContent>
    </Dialog>
  )
}

const tabs = [
  { value: 'token', label: texts.authenticator },
  { value: 'backupCode', label: texts.backupCode },
] as const

function Confirm() {
  const status = useQuery(twoFactorQuery)
  const pass = useMutation({
    mutationFn: async (proof: { token: string } | { backupCode: string }) =>
      (await passTwoFactor({ body: proof })).data,
    onSuccess: (answer) => {
      toast({
        title: texts.verified,
        description: answer.usedBackupCode
          ? texts.verifiedBackup(answer.backupCodesLeft)
          : texts.verifiedText,
      })
      setTimeout(() => window.location.reload(), RELOAD_MS)
    },
    onError: (error) =>
      toast({
        title: texts.verificationFailed,
        description: messageOf(error, texts.invalidCode),
        variant: 'destructive',
      }),
  })
  const error = pass.error ? messageOf(pass.error, texts.invalidCode) : undefined
  const pending = pass.isPending || pass.isSuccess
  return (
    <div className="space-y-6">
      <Tabs.Root defaultValue="token" onValueChange={() => pass.reset()}>
        <Tabs.List aria-label={texts.methods} className="mb-4 grid grid-cols-2 gap-1 rounded-md bg-muted p-1">
          {tabs.map(({ value, label }) => (
            <Tabs.Trigger
              key={value}
              value={value}
              className={cn(
                'min-h-10 rounded-sm px-3 text-sm font-medium text-muted-foreground',
                'data-[state=active]:bg-card data-[state=active]:text-foreground',
              )}
            >
              {label}
            </Tabs.Trigger>
          ))}
        </Tabs.List>
        <Tabs.Content value="token">
          <CodeForm
            label={texts.code}
            submit={pending ? texts.verifying : texts.verifyLogin}
            pending={pending}
            error={error}
            onCode={(token) => pass.mutate({ token })}
          />
        </Tabs.Content>
        <Tabs.Content value="backupCode">
          <CodeForm
            label={texts.backupCode}
            backup="only"
            hint={texts.backupHint}
            submit={pending ? texts.verifying : texts.verifyLogin}
            pending={pending}
            error={error}
            onCode={(backupCode) => pass.mutate({ backupCode })}
          />
        </Tabs.Content>
      </Tabs.Root>
      {status.data?.recovery ? <RecoveryNotice recovery={status.data.recovery} /> : <AskForRecovery />}
    </div>
  )
}
