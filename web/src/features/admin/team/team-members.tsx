import { ShieldCheck, ShieldOff } from 'lucide-react'
import type { TeamMember } from '@/api/types.gen'
import { Time } from '@/components/status/time'
import { Button } from '@/components/ui/button'
import { Cell, ColumnHead, HeadRow, Row, Table, TableBody } from '@/components/ui/table'
import { cn } from '@/lib/cn'
import { adminTeam as texts } from '@/messages/admin-team'
import { KeyedRows } from '../shared/list-frame'
import { Person } from '../shared/person'

interface TeamTableProps {
  members: readonly TeamMember[]
  onChange: (member: TeamMember) => void
  onSignOut: (member: TeamMember) => void
}

export function TeamTable({ members, onChange, onSignOut }: TeamTableProps) {
  const { columns } = texts
  return (
    <KeyedRows rows={members}>
      <Table caption={texts.title} needs="much">
        <HeadRow>
          <ColumnHead>{columns.person}</ColumnHead>
          <ColumnHead>{columns.roles}</ColumnHead>
          <ColumnHead>{columns.factor}</ColumnHead>
          <ColumnHead>{columns.lastSignIn}</ColumnHead>
          <ColumnHead>{columns.sessions}</ColumnHead>
          <ColumnHead>{columns.actions}</ColumnHead>
        </HeadRow>
        <TableBody>
          {members.map((member) => (
            <MemberRow key={member.id} member={member} onChange={onChange} onSignOut={onSignOut} />
          ))}
        </TableBody>
      </Table>
    </KeyedRows>
  )
}

interface MemberRowProps extends Omit<TeamTableProps, 'members'> {
  member: TeamMember
}

function MemberRow({ member, onChange, onSignOut }: MemberRowProps) {
  const { columns } = texts
  return (
    <Row keyed={member.id}>
      <Cell label={columns.person}>
        <span className="block font-medium wrap-anywhere">
          <Person name={member.name} />
        </span>
        {member.name === member.email ? null : (
          <span className="block text-xs text-muted-foreground wrap-anywhere">{member.email}</span>
        )}
      </Cell>
      <Cell label={columns.roles}>
        <Roles roles={member.roles} />
        {member.frozen ? (
          <span className="block text-xs text-pending-text wrap-anywhere">{texts.frozen}</span>
        ) : null}
      </Cell>
      <Cell label={columns.factor}>
        <SecondFactor on={member.twoFactor} />
      </Cell>
      <Cell label={columns.lastSignIn}>
        {member.lastSignIn ? <Time at={member.lastSignIn} /> : texts.never}
      </Cell>
      <Cell label={columns.sessions}>
        <span className="tabular-nums">{texts.places(member.sessions)}</span>
      </Cell>
      <Cell label={columns.actions}>
        <MemberActions member={member} onChange={onChange} onSignOut={onSignOut} />
      </Cell>
    </Row>
  )
}

function MemberActions({ member, onChange, onSignOut }: MemberRowProps) {
  if (member.actions.length === 0) return <span className="text-muted-foreground">{texts.you}</span>
  const whose = <span className="sr-only"> {texts.ofWhom(member.email)}</span>
  return (
    <span className="flex flex-wrap gap-2 stacked:justify-end">
      <Button variant="outline" size="sm" data-open onClick={() => onChange(member)}>
        {texts.change}
        {whose}
      </Button>
      {member.sessions > 0 ? (
        <Button variant="outline" size="sm" onClick={() => onSignOut(member)}>
          {texts.signOut}
          {whose}
        </Button>
      ) : null}
    </span>
  )
}

/** A member's roles: customer where there is none. */
export function Roles({ roles }: { roles: readonly (keyof typeof texts.roles)[] }) {
  if (roles.length === 0) return <span className="text-muted-foreground">{texts.customer}</span>
  return (
    <span className="inline-flex flex-wrap gap-1 stacked:justify-end">
      {roles.map((role) => (
        <span
          key={role}
          className={cn(
            'rounded-full px-2.5 py-1 text-xs font-medium',
            role === 'admin' ? 'bg-progress-tint text-progress-text' : 'bg-info-tint text-info-text',
          )}
        >
          {texts.roles[role]}
        </span>
      ))}
    </span>
  )
}

/** Named where no column says what it is. */
export function SecondFactor({ on, named }: { on: boolean; named?: boolean }) {
  const Icon = on ? ShieldCheck : ShieldOff
  return (
    <span className={cn('inline-flex items-center gap-1.5', on ? 'text-success-text' : 'text-pending-text')}>
      <Icon aria-hidden className="size-4 shrink-0" />
      {named ? texts.factor[on ? 'on' : 'off'] : on ? texts.enrolled : texts.notEnrolled}
    </span>
  )
}
