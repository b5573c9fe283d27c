import type { AdminGiftCardDetail, GiftCardSecrets } from '@/api/types.gen'
import { adminGiftCards as texts } from '@/messages/admin-gift-cards'
import { common } from '@/messages/common'
import { adminGiftCardQuery, reveal } from './gift-card-queries'
import { Revealed, SealedCard } from './sealed-card'

/** What is printed on a card, on demand. */
export function RevealCard({ card }: { card: AdminGiftCardDetail }) {
  return (
    <SealedCard
      title={texts.card}
      lead={card.secretsDestroyedAt ? texts.destroyed : texts.sealed}
      destroyed={Boolean(card.secretsDestroyedAt)}
      mayReveal={card.actions.includes('reveal')}
      reveal={(code) => reveal(card.id, code)}
      failed={texts.revealFailed}
      record={adminGiftCardQuery(card.id).queryKey}
    >
      {(secrets) => <Secrets secrets={secrets} />}
    </SealedCard>
  )
}

function Secrets({ secrets }: { secrets: GiftCardSecrets }) {
  return (
    <>
      <Revealed
        values={[
          [texts.code, secrets.cardCode],
          [texts.pin, secrets.pin],
          [texts.expiry, secrets.expirationDate],
          [texts.securityCode, secrets.securityCode],
        ]}
      />
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
