import type { AdminGiftCardDetail, GiftCardSecrets } from '@/api/types.gen'
import { adminGiftCards as texts } from '@/messages/admin-gift-cards'
import { Revealed, SealedCard } from '../shared/sealed-card'
import { CardPictures } from './gift-card-pictures'
import { adminGiftCardQuery, reveal } from './queries'

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
      <CardPictures urls={secrets.images} />
    </>
  )
}
