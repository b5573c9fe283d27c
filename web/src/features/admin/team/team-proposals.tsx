import { useInfiniteQuery } from '@tanstack/react-query'
import { ArrowRight, UsersRound } from 'lucide-react'
import { approveRoles, rejectRoles } from '@/api/admin.gen'
import type { RoleProposal } from '@/api/types.gen'
import { MoreButton } from '@/components/form/more-button'
import { StatusBadge } from '@/components/status/badge'
import type { StatusLook } from '@/components/status/status'
import { Time } from '@/components/status/time'
import { withCode } from '@/features/two-factor/step-up'
import { rowsOf } from '@/lib/paging'
import { rolesText, adminTeam as texts } from '@/messages/admin-team'
import { useSeen, WhatChanged } from '../approvals/seen'
import { type DecisionButton, RowDecisions } from '../shared/decision-buttons'
import { DecisionDialog } from '../shared/decision-dialog'
import { Person } from '../shared/person'
import { roleProposalsQuery } from './queries'
import { useTeamAct } from './team-act'
import { Roles } from './team-members'

type Answer = RoleProposal['actions'][number]

const answers: readonly DecisionButton<Answer>[] = [
  { action: 'approve', label: texts.actions.approve, weight: 'first' },
  { action: 'reject', label: texts.actions.reject },
  { action: 'withdraw', label: texts.actions.withdraw },
]

/** What waits for a second admin, above everything else. */
export function WaitingProposals() {
  const list = useInfiniteQuery(roleProposalsQuery('open'))
  const rows = rowsOf(list.data?.pages)
  if (rows.length === 0) return null
  return (
    <section aria-labelledby="team-waiting" className="mb-6 rounded-lg border bg-card">
      <h2
        id="team-waiting"
        className="flex items-center gap-2 rounded-t-lg border-b bg-pending-tint px-4 py-3 text-sm font-semibold text-pending-text md:px-5"
      >
        <UsersRound aria-hidden className="size-4 shrink-0" />
        {texts.waiting(list.data?.pages[0]?.total ?? rows.length)}
      </h2>
      <ul className="divide-y">
        {rows.map((proposal) => (
          <li key={proposal.id}>
            <Waiting proposal={proposal} />
          </li>
        ))}
      </ul>
      <MoreButton query={list} />
    </section>
  )
}

function Waiting({ proposal }: { proposal: RoleProposal }) {
  const who = proposal.actions.includes('withdraw')
    ? texts.mine
    : proposal.actions.length === 0
      ? texts.aboutYou
      : undefined
  return (
    <article
      aria-label={proposal.email}
      className="flex flex-wrap items-end justify-between gap-x-6 gap-y-3 p-4 md:px-5"
    >
      <div className="min-w-0 space-y-1 text-sm md:text-dense">
        <Change proposal={proposal} />
        <p className="wrap-anywhere">“{proposal.reason}”</p>
        <p className="text-muted-foreground wrap-anywhere">
          {texts.by(proposal.proposer)} · <Time at={proposal.createdAt} />
        </p>
        {who ? <p className="text-muted-foreground">{who}</p> : null}
      </div>
      <div className="flex flex-wrap gap-2">
        <RowDecisions
          buttons={answers}
          actions={proposal.actions}
          row={texts.ofWhom(proposal.email)}
          dialog={(answer, close) => <AnswerDialog proposal={proposal} answer={answer} onClose={close} />}
        />
      </div>
    </article>
  )
}

/** Whose roles, from what to what. */
function Change({ proposal }: { proposal: RoleProposal }) {
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <span className="font-medium wrap-anywhere">
        <Person name={proposal.name} />
      </span>
      {proposal.name === proposal.email ? null : (
        <span className="text-muted-foreground wrap-anywhere">{proposal.email}</span>
      )}
      <span className="inline-flex flex-wrap items-center gap-2">
        <Roles roles={proposal.had} />
        <ArrowRight aria-hidden className="size-4 shrink-0 text-muted-foreground" />
        <span className="sr-only">{texts.becomes}</span>
        <Roles roles={proposal.roles} />
      </span>
    </p>
  )
}

interface AnswerDialogProps {
  proposal: RoleProposal
  answer: Answer
  onClose: () => void
}

function AnswerDialog({ proposal, answer, onClose }: AnswerDialogProps) {
  const approves = answer === 'approve'
  const seen = useSeen('role_proposal', proposal.id, approves)
  const act = useTeamAct(async (reason: string, code?: string) => {
    const { id } = proposal
    if (approves)
      await approveRoles({ path: { id }, body: { version: seen.version ?? '' }, ...withCode(code) })
    else await rejectRoles({ path: { id }, body: { reason } })
    return { title: texts.answered[answer] }
  }, onClose)
  const had = rolesText(proposal.had)
  return (
    <DecisionDialog
      title={texts.answerTitle[answer]}
      text={
        approves
          ? texts.approveText(proposal.email, had, rolesText(proposal.roles))
          : texts.endText(proposal.email, had)
      }
      confirm={texts.actions[answer]}
      {...(approves ? {} : { reason: { label: texts.reason, placeholder: texts.reasonPlaceholder } })}
      incomplete={seen.incomplete}
      decision={act}
      onClose={onClose}
    >
      {seen.facts}
      <WhatChanged error={act.error} />
      {approves ? null : (
        <>
          <p className="text-sm text-muted-foreground">{texts.by(proposal.proposer)}</p>
          <p className="mb-4 text-sm wrap-anywhere">“{proposal.reason}”</p>
        </>
      )}
    </DecisionDialog>
  )
}

const looks: Record<RoleProposal['status'], StatusLook> = {
  open: { label: texts.status.open, tone: 'pending' },
  approved: { label: texts.status.approved, tone: 'success' },
  rejected: { label: texts.status.rejected, tone: 'danger' },
  withdrawn: { label: texts.status.withdrawn, tone: 'neutral', ended: true },
  lapsed: { label: texts.status.lapsed, tone: 'neutral', ended: true },
}

/** What was proposed and what came of it, newest first. */
export function ProposalHistory() {
  const list = useInfiniteQuery(roleProposalsQuery('all'))
  const rows = rowsOf(list.data?.pages).filter(({ status }) => status !== 'open')
  return (
    <section aria-labelledby="team-history" className="mt-8">
      <h2 id="team-history" className="mb-3 text-base">
        {texts.history}
      </h2>
      <div className="rounded-lg border bg-card px-4 md:px-5">
        {list.data && rows.length === 0 ? (
          <p className="py-4 text-sm text-muted-foreground">{texts.noHistory}</p>
        ) : null}
        <ul className="divide-y">
          {rows.map((proposal) => (
            <li
              key={proposal.id}
              className="flex flex-wrap items-start justify-between gap-3 py-3 text-sm md:text-dense"
            >
              <div className="min-w-0 space-y-1">
                <Change proposal={proposal} />
                <p className="wrap-anywhere">{proposal.reason}</p>
                <p className="text-muted-foreground wrap-anywhere">
                  {texts.by(proposal.proposer)} · <Time at={proposal.createdAt} />
                </p>
                {proposal.decidedAt ? (
                  <p className="text-muted-foreground wrap-anywhere">
                    {[texts.status[proposal.status], proposal.decider].filter(Boolean).join(' · ')} ·{' '}
                    <Time at={proposal.decidedAt} />
                    {proposal.answer ? ` · ${proposal.answer}` : ''}
                  </p>
                ) : null}
              </div>
              <StatusBadge look={looks[proposal.status]} />
            </li>
          ))}
        </ul>
      </div>
      <MoreButton query={list} />
    </section>
  )
}
