import { useMutation, useQueryClient } from '@tanstack/react-query'
import { CircleCheck, Upload } from 'lucide-react'
import { useId, useState } from 'react'
import type { Evidence, OrderDetail } from '@/api/types.gen'
import { FieldErrorText } from '@/components/form/field'
import { FileTile } from '@/components/form/file-tile'
import { Time } from '@/components/status/time'
import { buttonVariants } from '@/components/ui/button-variants'
import { Card, CardLead, CardTitle } from '@/components/ui/card'
import { cn } from '@/lib/cn'
import { isReadable, PDF } from '@/lib/files'
import { messageOf } from '@/lib/http'
import { toast } from '@/lib/toast'
import { orderPage } from '@/messages/order-page'
import { type EvidenceKind, sendEvidence } from './queries'

const MAX_BYTES = 8 * 1024 * 1024
const TYPES = ['image/jpeg', 'image/png']
const texts = orderPage.evidence

/** Receipt, and a photo of the card only where it is required. */
export function EvidenceCard({ order }: { order: OrderDetail }) {
  const may = (kind: EvidenceKind) => order.choices.includes(`upload_${kind}`)
  if (!may('receipt') && !may('card_photo') && order.payment.evidence.length === 0) return null
  return (
    <Card>
      <CardTitle>{texts.title}</CardTitle>
      <CardLead>{texts.text}</CardLead>
      <div className="mt-4 space-y-5">
        <Slot order={order} kind="receipt" label={texts.receipt} open={may('receipt')} />
        {order.payment.wantsCardPhoto ? (
          <Slot
            order={order}
            kind="card_photo"
            label={texts.cardPhoto}
            notice={texts.cardPhotoNotice}
            open={may('card_photo')}
          />
        ) : null}
      </div>
    </Card>
  )
}

interface SlotProps {
  order: OrderDetail
  kind: EvidenceKind
  label: string
  notice?: string
  open: boolean
}

function Slot({ order, kind, label, notice, open }: SlotProps) {
  const id = useId()
  const client = useQueryClient()
  const [problem, setProblem] = useState<string>()
  const upload = useMutation({
    mutationFn: (file: File) => sendEvidence(order.id, kind, file),
    onSuccess: () => {
      toast({ title: texts.done, description: texts.doneText })
      return client.invalidateQueries({ queryKey: ['order', order.id] })
    },
    onError: (error) => {
      const text = messageOf(error, texts.failedText)
      setProblem(text)
      toast({ title: texts.failed, description: text, variant: 'destructive' })
    },
  })
  const types = kind === 'receipt' ? [...TYPES, PDF] : TYPES
  const choose = async (file: File | undefined) => {
    if (!file) return
    const refused = !types.includes(file.type)
      ? kind === 'receipt'
        ? texts.wrongFile
        : texts.wrongType
      : file.size > MAX_BYTES
        ? texts.tooLarge
        : (await isReadable(file))
          ? undefined
          : texts.damaged
    setProblem(refused)
    if (refused) toast({ title: texts.failed, description: refused, variant: 'destructive' })
    else upload.mutate(file)
  }
  const sent = order.payment.evidence.filter((file) => file.kind === kind)
  return (
    <div className="space-y-2">
      <p className="text-sm font-medium">{label}</p>
      {notice ? <p className="text-sm text-muted-foreground">{notice}</p> : null}
      {sent.map((file) => (
        <SentFile key={file.id} file={file} label={label} />
      ))}
      {open ? (
        <label
          htmlFor={id}
          className={cn(
            buttonVariants({ variant: 'outline' }),
            'cursor-pointer has-focus-visible:outline-2 has-focus-visible:outline-ring',
            upload.isPending && 'opacity-60',
          )}
        >
          <Upload aria-hidden />
          {upload.isPending ? texts.uploading : sent.length > 0 ? texts.replace : texts.choose}
          <span className="sr-only">{label}</span>
          <input
            id={id}
            type="file"
            accept={types.join(',')}
            disabled={upload.isPending}
            className="sr-only"
            onChange={(event) => {
              void choose(event.target.files?.[0])
              event.target.value = ''
            }}
          />
        </label>
      ) : null}
      {problem ? <FieldErrorText id={`${id}-error`}>{problem}</FieldErrorText> : null}
    </div>
  )
}

function SentFile({ file, label }: { file: Evidence; label: string }) {
  return (
    <div className="max-w-60 space-y-2 text-sm">
      {file.url ? <FileTile href={file.url} name={label} /> : null}
      <p className="flex flex-wrap items-center gap-2">
        <CircleCheck aria-hidden className="size-4 text-success-text" />
        {texts.done}
        <Time at={file.createdAt} />
      </p>
    </div>
  )
}
