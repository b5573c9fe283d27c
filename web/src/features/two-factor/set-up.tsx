import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { KeyRound } from 'lucide-react'
import { setUpTwoFactor, verifyTwoFactor } from '@/api/sdk.gen'
import { Copyable } from '@/components/form/copyable'
import { FieldErrorText } from '@/components/form/field'
import { PageSteps } from '@/components/layout/page-steps'
import { Notice } from '@/components/states/states'
import { Button } from '@/components/ui/button'
import { buttonVariants } from '@/components/ui/button-variants'
import { HttpError, messageOf } from '@/lib/http'
import { loginHref } from '@/lib/login'
import { toast } from '@/lib/toast'
import { twoFactor as texts } from '@/messages/two-factor'
import { CodeForm } from './code-form'

/**
 * QR code, secret, first code. The secret exists in this component alone; the backup codes are passed up,
 * because the enabled factor unmounts this component.
 */
export function SetUp({ onCodes }: { onCodes: (codes: readonly string[]) => void }) {
  const client = useQueryClient()
  const begin = useMutation({
    mutationFn: async () => (await setUpTwoFactor()).data,
    gcTime: 0,
    onSuccess: () => toast({ title: texts.setupInitiated, description: texts.setupInitiatedText }),
    onError: (error) => {
      if (!asksForSignIn(error))
        toast({
          title: texts.setupFailed,
          description: messageOf(error, texts.setupFailedText),
          variant: 'destructive',
        })
    },
  })
  const verify = useMutation({
    mutationFn: async (token: string) => {
      // The session gets a new token: a pending call with the old one would read as signed out.
      await client.cancelQueries()
      return (await verifyTwoFactor({ body: { token } })).data
    },
    gcTime: 0,
    onSuccess: (answer) => {
      toast({ title: texts.enabledToast, description: texts.enabledText })
      onCodes(answer.backupCodes ?? [])
    },
    onError: (error) =>
      toast({
        title: texts.verificationFailed,
        description: messageOf(error, texts.invalidVerification),
        variant: 'destructive',
      }),
  })
  if (asksForSignIn(begin.error)) return <SignInAgain />
  if (!begin.data) {
    return (
      <>
        <PageSteps steps={texts.steps} className="mt-6 mb-6" />
        {begin.error ? (
          <FieldErrorText id="setup-error">{messageOf(begin.error, texts.setupFailedText)}</FieldErrorText>
        ) : null}
        <Button onClick={() => begin.mutate()} disabled={begin.isPending}>
          {begin.isPending ? texts.settingUp : texts.setUp}
        </Button>
      </>
    )
  }
  return (
    <div className="space-y-4">
      <p className="text-sm font-medium">{texts.scan}</p>
      <img src={begin.data.qrCode} alt={texts.qrAlt} width={240} height={240} className="rounded-md border" />
      <div className="text-sm">
        <p className="text-muted-foreground">{texts.manual}</p>
        <Copyable text={begin.data.secret} what={texts.secret} />
      </div>
      <p className="text-sm font-medium">{texts.enter}</p>
      <CodeForm
        label={texts.code}
        submit={verify.isPending ? texts.verifying : texts.verify}
        pending={verify.isPending}
        error={verify.error ? messageOf(verify.error, texts.invalidVerification) : undefined}
        onCode={(code) => verify.mutate(code)}
      />
    </div>
  )
}

const asksForSignIn = (error: unknown) => error instanceof HttpError && error.code === 'sign_in_again'

/** A factor is set up by who has just signed in: the way there, and back to this page. */
function SignInAgain() {
  const path = useLocation({ select: (location) => location.pathname })
  return (
    <Notice tone="info" icon={KeyRound} title={texts.signInAgain}>
      <p className="mb-3">{texts.signInAgainText}</p>
      <a href={loginHref({ returnTo: path, anew: true })} className={buttonVariants()}>
        {texts.signInAgainLink}
      </a>
    </Notice>
  )
}
