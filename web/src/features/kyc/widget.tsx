import SumsubWebSdk from '@sumsub/websdk-react'
import { useConfig } from '@/lib/session'
import { isDark } from '@/lib/theme'
import { toast } from '@/lib/toast'
import { common } from '@/messages/common'
import { kyc } from '@/messages/kyc'
import { language } from '@/messages/locale'
import { requestToken } from './queries'

interface WidgetProps {
  token: string
  onSubmitted: () => void
  onFailed: () => void
}

/**
 * The identity provider's own widget in its frame. Its events are signals for the screen only: the server
 * reads the customer's status from the provider.
 */
export default function Widget({ token, onSubmitted, onFailed }: WidgetProps) {
  const { sumsubBaseUrl } = useConfig()
  const fail = () => {
    toast({ title: kyc.widgetErrorTitle, description: kyc.widgetErrorText, variant: 'destructive' })
    onFailed()
  }
  return (
    <SumsubWebSdk
      className="min-h-[600px]"
      accessToken={token}
      {...(sumsubBaseUrl ? { baseUrl: sumsubBaseUrl } : {})}
      expirationHandler={() =>
        requestToken().catch((error: unknown) => {
          toast({ title: common.error, description: kyc.initFailed, variant: 'destructive' })
          throw error
        })
      }
      config={{ lang: language, theme: isDark() ? 'dark' : 'light' }}
      options={{ addViewportTag: false, adaptIframeHeight: true }}
      onMessage={(type: string) => {
        if (type === 'idCheck.onApplicantLoaded')
          toast({ title: kyc.startedTitle, description: kyc.startedText })
        if (type === 'idCheck.onApplicantSubmitted' || type === 'idCheck.onApplicantResubmitted') {
          toast({ title: kyc.submittedTitle, description: kyc.submittedText })
          onSubmitted()
        }
      }}
      onError={fail}
    />
  )
}
