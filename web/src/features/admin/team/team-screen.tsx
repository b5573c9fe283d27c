import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { UserRoundPlus } from 'lucide-react'
import { useState } from 'react'
import type { TeamMember } from '@/api/types.gen'
import { MoreButton } from '@/components/form/more-button'
import { PageHead } from '@/components/layout/page'
import { Failed, LoadingRows, NothingFound } from '@/components/states/states'
import { Button } from '@/components/ui/button'
import { rowsOf } from '@/lib/paging'
import { adminTeam as texts } from '@/messages/admin-team'
import { FilterChips } from '../shared/chips'
import { FilterFold } from '../shared/filter-fold'
import { Freshness } from '../shared/freshness'
import { type TeamFilter, teamRoles } from './filters'
import { teamQuery, teamSummaryQuery } from './queries'
import { ChangeRoles, GiveRole } from './team-change'
import { TeamTable } from './team-members'
import { ProposalHistory, WaitingProposals } from './team-proposals'
import { SignMemberOut } from './team-sign-out'

interface TeamScreenProps {
  filter: TeamFilter
  onFilter: (filter: TeamFilter, replace: boolean) => void
}

type Doing = { what: 'give' } | { what: 'change' | 'sign_out'; member: TeamMember }

/** Who may do what in the back office, and what waits for a second admin. */
export function TeamScreen({ filter, onFilter }: TeamScreenProps) {
  const list = useInfiniteQuery(teamQuery(filter))
  const [doing, setDoing] = useState<Doing>()
  const rows = rowsOf(list.data?.pages)
  const done = () => setDoing(undefined)
  const again = () => void list.refetch()
  const failed = list.error ? (
    <Failed className="mb-4" title={texts.fetchFailed} error={list.error} retry={again} />
  ) : null
  if (failed && !list.data)
    return (
      <>
        <PageHead title={texts.title} />
        {failed}
      </>
    )
  return (
    <>
      <PageHead
        title={texts.title}
        lead={texts.lead}
        actions={
          <>
            <Freshness of={list} />
            <Button size="sm" onClick={() => setDoing({ what: 'give' })}>
              <UserRoundPlus aria-hidden />
              {texts.propose}
            </Button>
          </>
        }
      />
      <WaitingProposals />
      <Filters filter={filter} onFilter={onFilter} />
      {failed}
      <div className="rounded-lg border bg-card p-4 md:p-5">
        {list.isPending ? <LoadingRows rows={3} /> : null}
        {list.data && rows.length === 0 ? <NothingFound title={texts.empty} hint={texts.emptyHint} /> : null}
        {rows.length > 0 ? (
          <TeamTable
            members={rows}
            onChange={(member) => setDoing({ what: 'change', member })}
            onSignOut={(member) => setDoing({ what: 'sign_out', member })}
          />
        ) : null}
      </div>
      <MoreButton query={list} />
      <ProposalHistory />
      {doing?.what === 'give' ? <GiveRole onClose={done} /> : null}
      {doing?.what === 'change' ? <ChangeRoles person={doing.member} onClose={done} /> : null}
      {doing?.what === 'sign_out' ? <SignMemberOut member={doing.member} onClose={done} /> : null}
    </>
  )
}

function Filters({ filter, onFilter }: TeamScreenProps) {
  const summary = useQuery(teamSummaryQuery(filter.q))
  return (
    <div className="my-4 flex flex-wrap items-end justify-between gap-4 md:my-5">
      <FilterFold
        className="md:contents"
        search={{
          name: 'q',
          id: 'team-search',
          label: texts.search,
          placeholder: texts.searchPlaceholder,
          value: filter.q,
          className: 'md:w-80',
          onChange: (q) => onFilter({ ...filter, q }, true),
        }}
      >
        <FilterChips
          legend={texts.filter}
          value={filter.role}
          all={{ label: texts.everybody, count: summary.data?.total }}
          choices={teamRoles}
          labels={texts.roles}
          counts={(role) => summary.data?.[role]}
          onChoose={(role) => onFilter({ ...filter, role }, false)}
        />
      </FilterFold>
    </div>
  )
}
