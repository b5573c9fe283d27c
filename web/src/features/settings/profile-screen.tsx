import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import type { NewPreferences, Profile } from '@/api/types.gen'
import { Field } from '@/components/form/field'
import { Restored } from '@/components/form/restored'
import { SendError } from '@/components/form/send-error'
import { Page } from '@/components/layout/page'
import { Failed, LoadingRows } from '@/components/states/states'
import { Button } from '@/components/ui/button'
import { buttonVariants } from '@/components/ui/button-variants'
import { Card, CardTitle } from '@/components/ui/card'
import { Input, Select } from '@/components/ui/input'
import { useDraft } from '@/lib/draft'
import { fieldMessage, messageOf } from '@/lib/http'
import { showIn } from '@/lib/language'
import { toast } from '@/lib/toast'
import { type Language, language, languages } from '@/messages/locale'
import { settings as texts } from '@/messages/settings'
import { choose, preferencesOf, profileQuery, rename } from './queries'

export function ProfileScreen() {
  const query = useQuery(profileQuery)
  return (
    <Page
      title={texts.profileTitle}
      lead={texts.profileLead}
      actions={
        <Link to="/settings/privacy" className={buttonVariants({ variant: 'outline' })}>
          {texts.toRights}
        </Link>
      }
    >
      {query.data ? (
        <div className="grid items-start gap-6 lg:grid-cols-2">
          <NameCard profile={query.data} />
          <MailsCard profile={query.data} />
        </div>
      ) : null}
      {!query.data && query.error ? (
        <Failed title={texts.fetchFailed} error={query.error} retry={() => void query.refetch()} />
      ) : null}
      {query.isPending ? <LoadingRows rows={2} /> : null}
    </Page>
  )
}

/** What every save does: fresh figures, and a word about it. */
function useSaving<I>(save: (input: I) => Promise<Profile>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: save,
    scope: { id: 'profile' }, // one after the other, so that the last choice is the one that stands
    onSuccess: (profile) => {
      client.setQueryData(profileQuery.queryKey, profile)
      void client.invalidateQueries({ queryKey: ['user'] })
      toast({ title: texts.saved })
    },
    onError: (error) =>
      toast({
        title: texts.saveFailed,
        description: messageOf(error, texts.saveFailed),
        variant: 'destructive',
      }),
  })
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
            <Input
              {...field}
              autoComplete="given-name"
              maxLength={60}
              disabled={profile.nameLocked}
              value={first}
              onChange={(event) => draft.setValues({ first: event.target.value, last })}
            />
          )}
        </Field>
        <Field id="last-name" label={texts.lastName} error={fieldMessage(saving.error, 'lastName')}>
          {(field) => (
            <Input
              {...field}
              autoComplete="family-name"
              maxLength={60}
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

function MailsCard({ profile }: { profile: Profile }) {
  const saving = useSaving(choose)
  const stored = preferencesOf(profile)
  // What was chosen shows at once; what the server says stands in the end.
  const [chosen, setChosen] = useState<NewPreferences>()
  const now = chosen ?? stored
  const change = (part: Partial<NewPreferences>) => {
    const next = { ...now, ...part }
    setChosen(next)
    saving.mutate(next, {
      onSuccess: (saved) => {
        if (saved.language !== language) showIn(saved.language)
      },
      onSettled: () => setChosen((latest) => (latest === next ? undefined : latest)),
    })
  }
  return (
    <Card>
      <CardTitle className="mb-4">{texts.preferences}</CardTitle>
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
      <fieldset className="mt-6">
        <legend className="mb-1 text-base font-semibold">{texts.mails}</legend>
        <Choice label={texts.always} hint={texts.alwaysHint} on disabled onChange={() => {}} />
        {profile.topics.map(({ topic }) => (
          <Choice
            key={topic}
            label={texts.topics[topic]}
            on={!now.muted?.includes(topic)}
            onChange={(on) =>
              change({ muted: on ? now.muted.filter((entry) => entry !== topic) : [...now.muted, topic] })
            }
          />
        ))}
        <Choice label={texts.news} on={now.news} onChange={(news) => change({ news })} />
      </fieldset>
      <SendError error={saving.error} fallback={texts.saveFailed} className="mt-4" />
    </Card>
  )
}

interface ChoiceProps {
  label: string
  hint?: string
  on: boolean
  disabled?: boolean
  onChange: (on: boolean) => void
}

function Choice({ label, hint, on, disabled, onChange }: ChoiceProps) {
  return (
    <label className="flex min-h-11 items-start gap-3 py-3 text-sm md:min-h-9 md:py-2">
      <input
        type="checkbox"
        checked={on}
        disabled={disabled}
        onChange={(event) => onChange(event.target.checked)}
        className="mt-0.5 size-4 shrink-0 accent-primary"
      />
      <span>
        {label}
        {hint ? <span className="block text-xs text-muted-foreground">{hint}</span> : null}
      </span>
    </label>
  )
}
