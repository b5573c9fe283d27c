import { Link } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import type { Profile } from '@/api/types.gen'
import { Field } from '@/components/form/field'
import { Restored } from '@/components/form/restored'
import { SendError } from '@/components/form/send-error'
import { LimitedInput } from '@/components/text/limited'
import { Button } from '@/components/ui/button'
import { Card, CardTitle } from '@/components/ui/card'
import { Input, Select } from '@/components/ui/input'
import { useDraft } from '@/lib/draft'
import { fieldMessage } from '@/lib/http'
import { type Language, languages } from '@/messages/locale'
import { settings as texts } from '@/messages/settings'
import { OfProfile } from './of-profile'
import { rename } from './queries'
import { usePreferences } from './use-preferences'
import { useSaving } from './use-saving'

export function ProfileScreen() {
  return (
    <OfProfile title={texts.profileTitle} lead={texts.profileLead}>
      {(profile) => (
        <>
          <NameCard profile={profile} />
          <LanguageCard profile={profile} />
        </>
      )}
    </OfProfile>
  )
}

function NameCard({ profile }: { profile: Profile }) {
  const draft = useDraft({ form: 'name', empty: { first: profile.firstName, last: profile.lastName } })
  const { first, last } = draft.values
  const saving = useSaving(() => rename(first, last))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!saving.isPending) saving.mutate(undefined, { onSuccess: draft.forget })
  }
  return (
    <Card>
      <CardTitle className="mb-4">{texts.name}</CardTitle>
      <form onSubmit={submit} noValidate className="space-y-4">
        {profile.nameLocked ? null : <Restored draft={draft} />}
        <Field id="first-name" label={texts.firstName} error={fieldMessage(saving.error, 'firstName')}>
          {(field) => (
            <LimitedInput
              {...field}
              autoComplete="given-name"
              limit={60}
              disabled={profile.nameLocked}
              value={first}
              onChange={(event) => draft.setValues({ first: event.target.value, last })}
            />
          )}
        </Field>
        <Field id="last-name" label={texts.lastName} error={fieldMessage(saving.error, 'lastName')}>
          {(field) => (
            <LimitedInput
              {...field}
              autoComplete="family-name"
              limit={60}
              disabled={profile.nameLocked}
              value={last}
              onChange={(event) => draft.setValues({ first, last: event.target.value })}
            />
          )}
        </Field>
        <Field id="email" label={texts.email} hint={texts.emailHint}>
          {(field) => <Input {...field} disabled value={profile.email} />}
        </Field>
        {profile.nameLocked ? (
          <p className="text-sm text-muted-foreground">
            {texts.nameLocked}{' '}
            <Link to="/support" className="font-medium text-primary underline underline-offset-4">
              {texts.openTicket}
            </Link>
          </p>
        ) : (
          <>
            <SendError error={saving.error} fallback={texts.saveFailed} />
            <Button type="submit" disabled={saving.isPending}>
              {saving.isPending ? texts.saving : texts.save}
            </Button>
          </>
        )}
      </form>
    </Card>
  )
}

function LanguageCard({ profile }: { profile: Profile }) {
  const { now, change, error } = usePreferences(profile)
  return (
    <Card>
      <CardTitle className="mb-4">{texts.language}</CardTitle>
      <Field id="language" label={texts.language} hint={texts.languageHint}>
        {(field) => (
          <Select
            {...field}
            value={now.language}
            onChange={(event) => change({ language: event.target.value })}
          >
            {profile.languages.map((code) => (
              <option key={code} value={code} lang={code}>
                {languages[code as Language] ?? code}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <SendError error={error} fallback={texts.saveFailed} className="mt-4" />
    </Card>
  )
}
