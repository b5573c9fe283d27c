import { TwoFactorGate } from '@/features/two-factor/gate'
import { useSignedInUser } from '@/lib/session'
import { Consent } from './consent'

/** What a person owes before they go on: the second factor, then consent to the legal texts in force. */
export default function Gate() {
  return useSignedInUser().consentDue ? <Consent /> : <TwoFactorGate />
}
