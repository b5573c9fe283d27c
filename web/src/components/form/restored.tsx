import type { Draft } from '@/lib/draft'
import { form as texts } from '@/messages/form'
import { Button } from '../ui/button'

interface RestoredProps {
  draft: Pick<Draft<object>, 'restored' | 'clear'>
  className?: string
}

/** Says that what was typed before is back, and what of it is not. */
export function Restored({ draft, className }: RestoredProps) {
  if (!draft.restored) return null
  return (
    <p role="status" className={`text-sm text-muted-foreground ${className ?? ''}`}>
      {draft.restored === 'partly' ? texts.restoredPartly : texts.restored}{' '}
      <Button variant="link" className="h-auto min-h-6 p-0 align-baseline" onClick={draft.clear}>
        {texts.startOver}
      </Button>
    </p>
  )
}
