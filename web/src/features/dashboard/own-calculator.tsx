import { Calculator } from '../calculator/calculator'
import { useOwnTerms } from '../pricing/own-terms'

/** The calculator with what each way to pay costs this customer. */
export function OwnCalculator() {
  return <Calculator className="bg-card" termsOf={useOwnTerms() ?? null} />
}
