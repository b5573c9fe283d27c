import { useMutation, useQuery } from '@tanstack/react-query'
import { CircleAlert } from 'lucide-react'
import { useState } from 'react'
import type { AddressImport, AddressLists as Lists } from '@/api/types.gen'
import { Field } from '@/components/form/field'
import { Notice } from '@/components/states/states'
import { Time } from '@/components/status/time'
import { Button } from '@/components/ui/button'
import { Card, CardTitle } from '@/components/ui/card'
import { Input } from '@/components/ui/input'
import { count } from '@/lib/format'
import { messageOf } from '@/lib/http'
import { useSignedInUser } from '@/lib/session'
import { adminRisk as texts } from '@/messages/admin-risk'
import { DecisionDialog } from '../shared/decision-dialog'
import { Fact, Facts } from '../shared/facts'
import { Loaded } from '../shared/loaded'
import { useStepUpAct } from '../shared/use-step-up-act'
import { addressListsQuery, importList, type ListFile, previewList, riskKey } from './queries'

/** The lists of addresses that nothing is sent to, and their imports. */
export function AddressLists() {
  const query = useQuery(addressListsQuery)
  const mayImport = useSignedInUser().permissions.includes('review_customers')
  return (
    <>
      <p className="mb-4 max-w-prose text-sm text-muted-foreground">
        {texts.listsLead} {mayImport ? '' : texts.readOnly}
      </p>
      <div className="space-y-4">
        {mayImport ? <ImportForm /> : null}
        <Loaded query={query} failed={texts.listsFailed}>
          {(all) => <Held all={all} />}
        </Loaded>
      </div>
    </>
  )
}

function Held({ all }: { all: Lists }) {
  return (
    <Card aria-label={texts.history}>
      <CardTitle>{texts.history}</CardTitle>
      {all.lists.length === 0 ? <p className="mt-3 text-sm text-muted-foreground">{texts.noLists}</p> : null}
      <ul className="mt-3 flex flex-wrap gap-x-8 gap-y-2 text-sm">
        {all.lists.map((list) => (
          <li key={list.source}>
            <span className="font-medium">{list.source}</span>{' '}
            <span className="text-muted-foreground">{texts.addresses(count(list.addresses))}</span>
          </li>
        ))}
      </ul>
      <ol className="mt-3 divide-y">
        {all.imports.map((one) => (
          <li key={`${one.source} ${one.version}`} className="py-3">
            <Facts>
              <Fact name={texts.list}>
                {one.source}, {texts.version.toLowerCase()} {one.version}
              </Fact>
              <Fact name={texts.at}>
                {one.at ? <Time at={one.at} /> : null} · {one.importedBy ?? texts.command}
              </Fact>
              <Fact name={texts.history} wide>
                <Counts of={one} />
              </Fact>
              {one.reason ? <Fact name={texts.reasonGiven}>{one.reason}</Fact> : null}
            </Facts>
          </li>
        ))}
      </ol>
    </Card>
  )
}

function Counts({ of }: { of: AddressImport }) {
  const { counts } = texts
  const parts = (['added', 'removed', 'unchanged', 'refused'] as const).map(
    (part) => `${counts[part]} ${count(of[part])}`,
  )
  return <>{parts.join(' · ')}</>
}

function ImportForm() {
  const [file, setFile] = useState<File>()
  const [source, setSource] = useState('')
  const preview = useMutation({ mutationFn: previewList })
  const chosen: ListFile | undefined = file && source.trim() ? { file, source: source.trim() } : undefined
  return (
    <Card aria-label={texts.importTitle}>
      <CardTitle>{texts.importTitle}</CardTitle>
      <form
        className="mt-3 grid gap-4 md:grid-cols-2"
        onSubmit={(event) => {
          event.preventDefault()
          if (chosen) preview.mutate(chosen)
        }}
      >
        <Field id="list-source" label={texts.source} hint={texts.sourceHint}>
          {(field) => <Input {...field} value={source} onChange={(event) => setSource(event.target.value)} />}
        </Field>
        <Field id="list-file" label={texts.file}>
          {(field) => (
            <Input
              {...field}
              type="file"
              accept=".txt,.json,.xml,text/plain,application/json,text/xml"
              className="py-2"
              onChange={(event) => setFile(event.target.files?.[0])}
            />
          )}
        </Field>
        {preview.error ? (
          <Notice
            tone="danger"
            icon={CircleAlert}
            role="alert"
            title={texts.failed}
            className="md:col-span-2"
          >
            {messageOf(preview.error, texts.failedText)}
          </Notice>
        ) : null}
        <div>
          <Button type="submit" disabled={!chosen || preview.isPending}>
            {preview.isPending ? texts.previewing : texts.preview}
          </Button>
        </div>
      </form>
      {preview.data && chosen ? (
        <Confirm seen={preview.data} chosen={chosen} onClose={() => preview.reset()} />
      ) : null}
    </Card>
  )
}

interface ConfirmProps {
  seen: AddressImport
  chosen: ListFile
  onClose: () => void
}

/** What the import would change, before it does. */
function Confirm({ seen, chosen, onClose }: ConfirmProps) {
  const press = useStepUpAct((reason, code) => importList(chosen, seen.version, reason, code), {
    said: () => ({ title: texts.imported }),
    failed: texts.failed,
    failedText: texts.failedText,
    changes: [riskKey],
    onDone: onClose,
  })
  return (
    <DecisionDialog
      title={texts.previewTitle(seen.source)}
      text={texts.addresses(count(seen.addresses))}
      confirm={texts.importing}
      destructive={seen.removed > 0}
      reason={{ label: texts.reason, placeholder: texts.reasonPlaceholder }}
      decision={press}
      onClose={onClose}
    >
      <p className="mb-2 text-sm">
        <Counts of={seen} />
      </p>
      {seen.refusedAt.length > 0 ? (
        <p className="mb-4 text-sm text-muted-foreground wrap-anywhere">
          {texts.refusedAt(seen.refusedAt.join(', '))}
        </p>
      ) : null}
    </DecisionDialog>
  )
}
