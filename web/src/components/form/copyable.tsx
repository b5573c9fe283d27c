import { Check, Copy } from 'lucide-react'
import { cn } from '@/lib/cn'
import { useCopy } from '@/lib/copy'
import { common } from '@/messages/common'
import { Button } from '../ui/button'

interface CopyableProps {
  text: string
  /** What it is, for the button's name: "transaction ID". */
  what: string
  shown?: string
  className?: string
}

/** An id or address with its copy button. A value that needs two lines is split into equal ones. */
export function Copyable({ text, what, shown, className }: CopyableProps) {
  const { copied, copy } = useCopy()
  return (
    <span className={cn('inline-flex max-w-full items-center gap-1', className)}>
      <code
        className={cn(
          'min-w-0 font-mono text-dense text-balance',
          text.includes(' ') ? 'wrap-anywhere' : 'break-all',
        )}
        title={shown ? text : undefined}
      >
        {shown ?? text}
      </code>
      <Button
        variant="ghost"
        size="icon-sm"
        aria-label={copied ? common.copied : common.copyWhat(what)}
        onClick={() => void copy(text)}
        className="text-muted-foreground"
      >
        {copied ? <Check aria-hidden /> : <Copy aria-hidden />}
      </Button>
    </span>
  )
}
