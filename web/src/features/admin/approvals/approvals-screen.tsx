import { useInfiniteQuery } from '@tanstack/react-query'
import { UsersRound } from 'lucide-react'
import { Field } from '@/components/form/field'
import { Select } from '@/components/ui/input'
import { rowsOf } from '@/lib/paging'
import { adminApprovals as texts } from '@/messages/admin-approvals'
import { Chips } from '../shared/chips'
import { ListFrame } from '../shared/list-frame'
import type { ApprovalKind } from './approval-query'
import { approvalName, useApprovalRows } from './approval-rows'
import { type ApprovalFilter, approvalKinds } from './filters'
import { approvalsQuery } from './queries'
import { Statements } from './statements'

interface ApprovalsScreenProps {
  filter: ApprovalFilter
  onFilter: (filter: ApprovalFilter) => void
}

/** The inbox of everything that waits for a second admin. */
export function ApprovalsScreen({ filter, onFilter }: ApprovalsScreenProps) {
  const list = useInfiniteQuery(approvalsQuery(filter))
  const { work, columns, card } = useApprovalRows(rowsOf(list.data?.pages))
  const view = filter.view ?? 'mine'
  return (
    <>
      <ListFrame
        title={texts.title}
        lead={texts.lead}
        list={list}
        counters={null}
        filters={
          <>
            <Chips
              legend={texts.view}
              value={view}
              onChange={(chosen) => onFilter({ ...filter, view: chosen === 'all' ? 'all' : undefined })}
              chips={[
                { value: 'mine' as const, label: texts.views.mine, count: null },
                { value: 'all' as const, label: texts.views.all, count: null },
              ]}
            />
            <Field id="approval-kind" label={texts.kind}>
              {(field) => (
                <Select
                  {...field}
                  value={filter.kind ?? ''}
                  onChange={(event) =>
                    onFilter({
                      ...filter,
                      kind: (event.target.value || undefined) as ApprovalKind | undefined,
                    })
                  }
                >
                  <option value="">{texts.allKinds}</option>
                  {approvalKinds.map((kind) => (
                    <option key={kind} value={kind}>
                      {texts.kinds[kind]}
                    </option>
                  ))}
                </Select>
              )}
            </Field>
          </>
        }
        filtered={filter.kind !== undefined}
        failed={texts.fetchFailed}
        empty={{
          title: view === 'mine' ? texts.emptyMine : texts.empty,
          filteredHint: texts.emptyHint,
          firstHint: texts.emptyHint,
          icon: UsersRound,
        }}
        card={card}
        dense={{ columns, nameOf: approvalName }}
        work={work}
      />
      <Statements />
    </>
  )
}
