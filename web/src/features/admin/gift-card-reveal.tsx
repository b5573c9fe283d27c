import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Eye, EyeOff } from 'lucide-react'
import type { AdminGiftCardDetail, GiftCardSecrets } from '@/api/types.gen'
import { Copyable } from '@/components/form/copyable'
import { FieldErrorText } from '@/components/form/field'
import { Button } from '@/components/ui/button'
import { Card, CardLead, CardTitle } from '@/components/ui/card'
import { StepUpCancelled, useStepUp } from '@/features/two-factor/step-up'
import { messageOf } from '@/lib/http'
import { adminGiftCards as texts } from '@/messages/admin-gift-cards'
import { common } from '@/messages/common'
import { Fact, Facts } from './facts'
import { reveal } from './gift-card-queries'

/** What is printed on a card, on demand. It lives in this component alone: never in the cache of queries. */
export function RevealCard({ card }: { card: AdminGiftCardDetail }) {
  const client = useQueryClient()
  const { run, dialog } = useStepUp()
  const opening = useMutation({
    mutationFn: () => run((code) => reveal(card.id, code)),
    gcTime: 0,
    onSettled: () => void client.invalidateQueries({ queryKey: ['admin-gift-cards', 'one', card.id] }),
  })
  return (
    <Card>
      <CardTitle>{texts.card}</CardTitle>
      <CardLead>{card.secretsDestroyedAt ? texts.destroyed : texts.sealed}</CardLead>
      {opening.data && !card.secretsDestroyedAt ? <Secrets secrets={opening.data} /> : null}
      {opening.error && !(opening.error instanceof StepUpCancelled) ? (
        <FieldErrorText id="reveal-error">{messageOf(opening.error, texts.revealFailed)}</FieldErrorText>
      ) : null}
      {card.actions.includes('reveal') ? (
        <Button
          variant="outline"
          className="mt-4"
          disabled={opening.isPending}
          onClick={() => (opening.data ? opening.reset() : opening.mutate())}
        >
          {opening.data ? <EyeOff aria-hidden /> : <Eye aria-hidden />}
          {opening.isPending ? texts.revealing : opening.data ? texts.hide : texts.reveal}
        </Button>
      ) : null}
      {dialog}
    </Card>
  )
}

function Secrets({ secrets }: { secrets: GiftCardSecrets }) {
  const rows = [
    [texts.code, secrets.cardCode],
    [texts.pin, secrets.pin],
    [texts.expiry, secrets.expirationDate],
    [texts.securityCode, secrets.securityCode],
  ] as const
  return (
    <>
      <Facts className="mt-4">
        {rows.map(([name, value]) =>
          value ? (
            <Fact key={name} name={name}>
              <Copyable text={value} what={name} />
            </Fact>
          ) : null,
        )}
      </Facts>
      <ul className="mt-3 flex flex-wrap gap-x-4 gap-y-2 text-sm">
        {secrets.images.map((url, index) => (
          <li key={url}>
            <a
              href={url}
              target="_blank"
              rel="noreferrer"
              className="rounded-sm underline underline-offset-4"
            >
              {texts.picture(index + 1)}
              <span className="sr-only"> ({common.openInNewTab})</span>
            </a>
          </li>
        ))}
      </ul>
    </>
  )
}
