import { useMutation } from '@tanstack/react-query'
import { Search } from 'lucide-react'
import { useState } from 'react'
import { proposeRoles, takeRoles } from '@/api/admin.gen'
import type { TeamCandidate } from '@/api/types.gen'
import { Field } from '@/components/form/field'
import { Button } from '@/components/ui/button'
import { Dialog, DialogContent, focusField } from '@/components/ui/dialog'
import { Input } from '@/components/ui/input'
import { withCode } from '@/features/two-factor/step-up'
import { messageOf } from '@/lib/http'
import { adminTeam, type Role, rolesText } from '@/messages/admin-team'
import { DecisionDialog } from '../shared/decision-dialog'
import { Person as PersonName } from '../shared/person'
import { teamRoles } from './filters'
import { candidate } from './queries'
import { useTeamAct } from './team-act'
import { Roles, SecondFactor } from './team-members'

const texts = adminTeam

/** Finds a person by their whole address, then asks for their new roles. */
export function GiveRole({ onClose }: { onClose: () => void }) {
  const [email, setEmail] = useState('')
  const find = useMutation({ mutationFn: candidate })
  const found = find.data
  if (found && !found.self) return <ChangeRoles person={found} onClose={onClose} />
  const error = find.error ? messageOf(find.error, texts.failedText) : found?.self ? texts.self : undefined
  return (
    <Dialog open onOpenChange={(open) => (open ? undefined : onClose())}>
      <DialogContent title={texts.proposeTitle} description={texts.proposeText} onOpenAutoFocus={focusField}>
        <form
          onSubmit={(event) => {
            event.preventDefault()
            if (email.trim()) find.mutate(email.trim())
          }}
        >
          <Field id="team-email" label={texts.email} hint={texts.emailHint} error={error}>
            {(field) => (
              <div className="flex gap-2">
                <Input
                  {...field}
                  type="email"
                  required
                  autoComplete="off"
                  value={email}
                  onChange={(event) => setEmail(event.target.value)}
                />
                <Button type="submit" disabled={!email.trim() || find.isPending}>
                  <Search aria-hidden />
                  {texts.find}
                </Button>
              </div>
            )}
          </Field>
        </form>
      </DialogContent>
    </Dialog>
  )
}

type Person = Pick<TeamCandidate, 'id' | 'name' | 'email' | 'roles' | 'twoFactor'>

interface ChangeRolesProps {
  person: Person
  onClose: () => void
}

const missing = (of: readonly Role[], from: readonly Role[]) => of.filter((role) => !from.includes(role))

/**
 * The roles that a person is to have. A change that adds one is proposed; one that only removes takes effect
 * at once, because it is safe and may be urgent.
 */
export function ChangeRoles({ person, onClose }: ChangeRolesProps) {
  const [chosen, setChosen] = useState<readonly Role[]>(person.roles)
  const added = missing(chosen, person.roles)
  const taken = missing(person.roles, chosen)
  const takes = added.length === 0 && taken.length > 0
  const act = useTeamAct(async (reason: string, code?: string) => {
    const change = { path: { id: person.id }, ...withCode(code) }
    if (takes) {
      const { data } = await takeRoles({ ...change, body: { roles: taken, reason } })
      return { title: texts.taken, description: texts.signedOut(data.ended) }
    }
    await proposeRoles({ ...change, body: { roles: [...chosen], reason } })
    return { title: texts.proposed, description: texts.proposedText }
  }, onClose)
  return (
    <DecisionDialog
      title={texts.changeTitle(person.name)}
      text={texts.changeText}
      confirm={takes ? texts.takeConfirm : texts.proposeConfirm}
      destructive={takes}
      incomplete={added.length + taken.length === 0}
      reason={{ label: texts.reason, placeholder: texts.reasonPlaceholder }}
      decision={act}
      onClose={onClose}
    >
      <WhoIsIt person={person} />
      <RoleChoice held={person.roles} chosen={chosen} onChoose={setChosen} />
      <p role="status" className="mt-3 mb-4 min-h-10 text-sm text-muted-foreground">
        {added.length > 0 ? texts.adds(rolesText(added)) : null}
        {takes ? texts.takes(rolesText(taken)) : null}
        {added.length + taken.length === 0 ? texts.nothing : null}
      </p>
    </DecisionDialog>
  )
}

function WhoIsIt({ person }: { person: Person }) {
  return (
    <div className="mb-4 flex flex-wrap items-center justify-between gap-x-4 gap-y-2 rounded-md border p-3 text-sm">
      <span className="min-w-0">
        <span className="block font-medium wrap-anywhere">
          <PersonName name={person.name} />
        </span>
        <span className="block text-muted-foreground wrap-anywhere">{person.email}</span>
      </span>
      <span className="flex flex-wrap items-center gap-3">
        <Roles roles={person.roles} />
        <SecondFactor on={person.twoFactor} named />
      </span>
    </div>
  )
}

interface RoleChoiceProps {
  held: readonly Role[]
  chosen: readonly Role[]
  onChoose: (chosen: readonly Role[]) => void
}

function RoleChoice({ held, chosen, onChoose }: RoleChoiceProps) {
  return (
    <fieldset>
      <legend className="mb-2 text-sm font-medium">{texts.chosen}</legend>
      <div className="divide-y rounded-md border">
        {teamRoles.map((role) => (
          <label key={role} className="flex min-h-11 cursor-pointer items-start gap-3 p-3 hover:bg-muted">
            <input
              type="checkbox"
              className="mt-0.5 size-5 shrink-0 accent-primary"
              checked={chosen.includes(role)}
              onChange={(event) =>
                onChoose(
                  teamRoles.filter((one) => (one === role ? event.target.checked : chosen.includes(one))),
                )
              }
            />
            <span className="min-w-0 text-sm">
              <span className="font-medium">{texts.roles[role]}</span>
              {held.includes(role) ? <span className="text-muted-foreground"> · {texts.now}</span> : null}
              <span className="block text-muted-foreground">{texts.may[role]}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
