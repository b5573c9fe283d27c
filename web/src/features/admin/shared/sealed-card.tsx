import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Eye, EyeOff } from 'lucide-react'
import type { ReactNode } from 'react'
import { Copyable } from '@/components/form/copyable'
import { FieldErrorText } from '@/components/form/field'
import { Button } from '@/components/ui/button'
import { Card, CardLead, CardTitle } from '@/components/ui/card'
import { StepUpCancelled, useStepUp } from '@/features/two-factor/step-up'
import { messageOf } from '@/lib/http'
import { records as texts } from '@/messages/admin-records'
import { Fact, Facts } from './facts'
import { useKeys } from './keys'

interface SealedCardProps<S> {
  title: string
  /** What is sealed and who is notified of a reveal; or that it was destroyed. */
  lead: string
  destroyed: boolean
  mayReveal: boolean
  reveal: (code?: string) => Promise<S>
  failed: string
  /** The record's query: a reveal is an event of its timeline. */
  record: readonly unknown[]
  /** What is entered before a reveal, and whether it is missing. */
  field?: ReactNode
  incomplete?: boolean
  children: (secrets: S) => ReactNode
}

/** Shows what is sealed, and hides it again. */
export const REVEAL_KEY = 'v'

/** Sealed secrets, shown on demand. They live in this component alone: never in the cache of queries. */
export function SealedCard<S>(props: SealedCardProps<S>) {
  const { title, lead, destroyed, mayReveal, reveal, failed, record, field, incomplete, children } = props
  const client = useQueryClient()
  const { run, dialog } = useStepUp()
  const opening = useMutation({
    mutationFn: () => run(reveal),
    gcTime: 0,
    onSettled: () => void client.invalidateQueries({ queryKey: record }),
  })
  const toggle = () => (opening.data ? opening.reset() : opening.mutate())
  const waits = opening.isPending || Boolean(incomplete && !opening.data)
  useKeys([{ key: REVEAL_KEY, label: texts.reveal, run: mayReveal && !waits ? toggle : undefined }])
  return (
    <Card>
      <CardTitle>{title}</CardTitle>
      <CardLead>{lead}</CardLead>
      {opening.data && !destroyed ? children(opening.data) : null}
      {opening.error && !(opening.error instanceof StepUpCancelled) ? (
        <FieldErrorText id="reveal-error">{messageOf(opening.error, failed)}</FieldErrorText>
      ) : null}
      {mayReveal && field ? <div className="mt-4">{field}</div> : null}
      {mayReveal ? (
        <Button
          variant="outline"
          className="mt-4"
          disabled={waits}
          aria-keyshortcuts={REVEAL_KEY}
          onClick={toggle}
        >
          {opening.data ? <EyeOff aria-hidden /> : <Eye aria-hidden />}
          {opening.isPending ? texts.revealing : opening.data ? texts.hide : texts.reveal}
        </Button>
      ) : null}
      {dialog}
    </Card>
  )
}

/**
 * A longer value takes the whole row: half a card's width would break it within its groups, in which it is
 * compared with a picture.
 */
const HALF = 12

/** Revealed values, each with its copy button; what there is none of is left out. */
export function Revealed({
  values,
}: {
  values: readonly (readonly [name: string, value: string | undefined])[]
}) {
  return (
    <Facts className="mt-4">
      {values.map(([name, value]) =>
        value ? (
          <Fact key={name} name={name} wide={value.length > HALF}>
            <Copyable text={value} what={name} />
          </Fact>
        ) : null,
      )}
    </Facts>
  )
}
