import { useStepUp } from '@/features/two-factor/step-up'
import { type Act, type ActTerms, useAct } from './use-act'

interface StepUpTerms<R> extends ActTerms<R> {
  /** False for an act that needs no code after all. */
  asks?: boolean
}

/** An act that requires a fresh code from an admin with a second factor. */
export function useStepUpAct<R>(
  act: (reason: string, code?: string) => Promise<R>,
  { asks = true, ...terms }: StepUpTerms<R>,
): Act {
  const { run, dialog } = useStepUp()
  const pressed = useAct((reason) => (asks ? run((code) => act(reason, code)) : act(reason)), terms)
  return { ...pressed, dialog }
}
