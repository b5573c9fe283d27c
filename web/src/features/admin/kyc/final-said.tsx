import type { FinalRejection } from '@/api/types.gen'
import { Time } from '@/components/status/time'
import { adminKyc as texts } from '@/messages/admin-kyc'

/** Says who rejected the identity finally, when, and with which codes. */
export function FinalSaid({ final, className }: { final: FinalRejection | null; className?: string }) {
  if (!final) return null
  return (
    <p className={className}>
      {texts.finalBy[final.by]} · <Time at={final.at} />
      {final.labels.map((label) => (
        <span key={label}>
          {' · '}
          <code className="text-xs wrap-anywhere">{label}</code>
          {texts.label[label] ? ` (${texts.label[label]})` : ''}
        </span>
      ))}
    </p>
  )
}
