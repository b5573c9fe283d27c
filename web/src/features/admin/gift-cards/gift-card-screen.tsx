import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { UsersRound } from 'lucide-react'
import { Suspense } from 'react'
import type { AdminGiftCardDetail } from '@/api/types.gen'
import { Usd } from '@/components/money/money'
import { Notice } from '@/components/states/states'
import { Time } from '@/components/status/time'
import { Card, CardTitle } from '@/components/ui/card'
import { textLink } from '@/components/ui/text-link'
import { GiftCardStory } from '@/features/gift-cards/story'
import { usd } from '@/lib/format'
import { isPositive } from '@/lib/money'
import { adminGiftCards as texts } from '@/messages/admin-gift-cards'
import { records } from '@/messages/admin-records'
import { giftCards } from '@/messages/gift-cards'
import { Checks } from '../shared/checks'
import { allowed, DecisionButtons, keyHints } from '../shared/decision-buttons'
import { Fact, Facts } from '../shared/facts'
import { Outside } from '../shared/outside'
import { QueueWalk, useQueueWork } from '../shared/queue-walk'
import { RecordFrame, RecordHead, RecordLead, Stack, Stacks } from '../shared/record-frame'
import { Records } from '../shared/records'
import { REVEAL_KEY } from '../shared/sealed-card'
import { stepTime } from '../shared/step-time'
import { type GiftCardFilter, waitingCards } from './filters'
import { cardButtons, claimButtons, GiftCardClaimDialog, GiftCardDecision } from './gift-card-buttons'
import { AlikeCards } from './gift-card-checks'
import { adminGiftCardLooks } from './gift-card-looks'
import { RevealCard } from './gift-card-reveal'
import { adminGiftCardQuery, adminGiftCardsQuery } from './queries'

interface GiftCardScreenProps {
  id: string
  /** The list that it was opened from: a decision leads to the next in it. */
  filter: GiftCardFilter
}

/** One gift card with everything staff may see of it, and every button they have. */
export function AdminGiftCardScreen({ id, filter }: GiftCardScreenProps) {
  return (
    <RecordFrame query={useQuery(adminGiftCardQuery(id))} title={giftCards.facts} failed={texts.fetchFailed}>
      {(card) => <Loaded key={card.id} card={card} filter={filter} />}
    </RecordFrame>
  )
}

function Loaded({ card, filter }: { card: AdminGiftCardDetail; filter: GiftCardFilter }) {
  const work = useQueueWork(
    useInfiniteQuery(adminGiftCardsQuery(filter)),
    card.id,
    '/admin/gift-cards',
    filter,
  )
  const awaited = allowed(cardButtons, card.actions)
  const mayReveal = card.actions.includes('reveal')
  return (
    <>
      <RecordHead
        title={`${card.brand} · ${usd(card.value)}`}
        lead={<RecordLead record={card} />}
        look={adminGiftCardLooks[card.status]}
        list={{ to: '/admin/gift-cards', title: texts.title, search: filter }}
      />
      <div className="space-y-6">
        <QueueWalk
          work={work}
          others={[
            ...keyHints(awaited),
            ...(mayReveal
              ? [
                  { key: REVEAL_KEY, label: records.lookKey },
                  { key: '1', label: texts.picturesKey },
                ]
              : []),
          ]}
        >
          <DecisionButtons
            underWay={Boolean(card.decision)}
            buttons={[...awaited, ...allowed(claimButtons, card.actions)]}
            dialog={(action, close) => (
              <Suspense>
                {action === 'claim' || action === 'reverse_claim' ? (
                  <GiftCardClaimDialog card={card} action={action} onClose={close} />
                ) : (
                  <GiftCardDecision
                    card={card}
                    action={action}
                    onClose={close}
                    onDone={waitingCards.includes(filter.status) ? work.onward : undefined}
                  />
                )}
              </Suspense>
            )}
          />
        </QueueWalk>
        <ClaimWaits proposal={card.proposal} />
        <Stacks leading>
          <Stack>
            <RevealCard card={card} />
            <Card>
              <CardTitle className="mb-4">{records.story}</CardTitle>
              <GiftCardStory events={card.events} timeOf={stepTime} />
            </Card>
            <Records decisions={card.decisions} postings={card.postings} />
          </Stack>
          <Stack>
            <Card>
              <CardTitle className="mb-4">{giftCards.facts}</CardTitle>
              <CardFacts card={card} />
            </Card>
            <Checks
              checks={card.checks}
              say={({ name, count, result }) => texts.check[name](count, result)}
            />
            <AlikeCards card={card} />
          </Stack>
        </Stacks>
      </div>
    </>
  )
}

/** A claim, or its reversal, that waits for a second person, and the page on which it is decided. */
function ClaimWaits({ proposal }: Pick<AdminGiftCardDetail, 'proposal'>) {
  if (!proposal) return null
  const title = proposal.kind === 'claim_card' ? texts.waits.claim_card : texts.waits.reverse_card_claim
  return (
    <Notice tone="pending" icon={UsersRound} role="status" title={title(proposal.by)}>
      <q>{proposal.reason}</q> {texts.waitsText}{' '}
      <Link to="/admin/approvals" className={textLink}>
        {texts.waitsLink}
      </Link>
    </Notice>
  )
}

function CardFacts({ card }: { card: AdminGiftCardDetail }) {
  return (
    <>
      <Facts>
        <Fact name={texts.customer} wide>
          {card.customerEmail}
        </Fact>
        <Fact name={texts.type}>{giftCards.types[card.cardType]}</Fact>
        <Fact name={texts.sent}>
          <Time at={card.createdAt} />
        </Fact>
        <Fact name={texts.value}>
          <Usd amount={card.value} />
        </Fact>
        <Fact name={texts.payout}>
          <Usd amount={card.payout} />
        </Fact>
        {card.confirmedValue ? (
          <Fact name={texts.confirmed}>
            <Usd amount={card.confirmedValue} />
          </Fact>
        ) : null}
        {card.paid ? (
          <Fact name={texts.paid}>
            <Usd amount={card.paid} />
          </Fact>
        ) : null}
        {card.realisedAmount ? (
          <Fact name={texts.realised}>
            <Usd amount={card.realisedAmount} />
            {card.realisedReference ? ` · ${card.realisedReference}` : null}
          </Fact>
        ) : null}
        {card.takenBack && isPositive(card.takenBack) ? (
          <Fact name={texts.buyerTookBack}>
            <Usd amount={card.takenBack} />
          </Fact>
        ) : null}
        {card.claim ? (
          <Fact name={texts.claimed}>
            {card.claim.reversedAt ? (
              texts.claimReversed(usd(card.claim.amount))
            ) : (
              <Usd amount={card.claim.amount} />
            )}
          </Fact>
        ) : null}
        {card.claim && isPositive(card.claim.owed) ? (
          <Fact name={texts.claimOwed}>
            <Usd amount={card.claim.owed} />
          </Fact>
        ) : null}
        {card.offerUntil ? (
          <Fact name={texts.offerUntil}>
            <Time at={card.offerUntil} />
          </Fact>
        ) : null}
        {card.status === 'in_review' && card.reviewDueAt ? (
          <Fact name={texts.due}>
            <Time at={card.reviewDueAt} />
          </Fact>
        ) : null}
        {card.rejectReason ? (
          <Fact name={texts.reason} wide>
            {card.rejectReason}
          </Fact>
        ) : null}
      </Facts>
      <Outside href={card.workflowUrl} text={records.workflow} />
    </>
  )
}
