import type { Profile } from '@/api/types.gen'
import { SendError } from '@/components/form/send-error'
import { Card, CardLead, CardTitle } from '@/components/ui/card'
import { settings as texts } from '@/messages/settings'
import { OfProfile } from './of-profile'
import { usePreferences } from './use-preferences'

export function NotificationsScreen() {
  return (
    <OfProfile title={texts.notificationsTitle} lead={texts.notificationsLead}>
      {(profile) => <MailsCard profile={profile} />}
    </OfProfile>
  )
}

/** Every mail, by its subject; mandatory ones cannot be switched off. */
function MailsCard({ profile }: { profile: Profile }) {
  const { now, change, error } = usePreferences(profile)
  return (
    <Card>
      <CardTitle>{texts.mails}</CardTitle>
      <CardLead>{texts.mailsLead(profile.email)}</CardLead>
      <fieldset className="mt-4 divide-y">
        <legend className="sr-only">{texts.mails}</legend>
        <Choice label={texts.always} hint={texts.alwaysHint} on disabled onChange={() => {}} />
        {profile.topics.map(({ topic }) => (
          <Choice
            key={topic}
            label={texts.topics[topic]}
            hint={texts.topicHints[topic]}
            on={!now.muted?.includes(topic)}
            onChange={(on) =>
              change({ muted: on ? now.muted.filter((entry) => entry !== topic) : [...now.muted, topic] })
            }
          />
        ))}
      </fieldset>
      <SendError error={error} fallback={texts.saveFailed} className="mt-4" />
    </Card>
  )
}

interface ChoiceProps {
  label: string
  hint: string
  on: boolean
  disabled?: boolean
  onChange: (on: boolean) => void
}

function Choice({ label, hint, on, disabled, onChange }: ChoiceProps) {
  return (
    <label className="flex items-start gap-3 py-3.5 text-sm">
      <input
        type="checkbox"
        checked={on}
        disabled={disabled}
        onChange={(event) => onChange(event.target.checked)}
        className="mt-0.5 size-4.5 shrink-0 accent-primary"
      />
      <span>
        <span className="block font-medium">{label}</span>
        <span className="block text-muted-foreground">{hint}</span>
      </span>
    </label>
  )
}
