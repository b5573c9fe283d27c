import {
  Ban,
  CircleCheck,
  CircleDashed,
  CircleX,
  Clock,
  LoaderCircle,
  type LucideIcon,
  ShieldCheck,
} from 'lucide-react'
import { cn } from '@/lib/cn'
import type { StatusLook, Tone } from './status'

const tones: Record<Tone, { className: string; icon: LucideIcon }> = {
  neutral: { className: 'bg-neutral-tint text-neutral-text', icon: CircleDashed },
  pending: { className: 'bg-pending-tint text-pending-text', icon: Clock },
  info: { className: 'bg-info-tint text-info-text', icon: ShieldCheck },
  progress: { className: 'bg-progress-tint text-progress-text', icon: LoaderCircle },
  success: { className: 'bg-success-tint text-success-text', icon: CircleCheck },
  danger: { className: 'bg-danger-tint text-danger-text', icon: CircleX },
}

/** A status: always an icon and a label, never a colour alone. */
export function StatusBadge({ look, className }: { look: StatusLook; className?: string }) {
  const { className: tone, icon: Icon } = tones[look.tone]
  const Shown = look.tone === 'neutral' && look.ended ? Ban : Icon
  return (
    <span
      className={cn(
        'inline-flex items-center gap-1.5 rounded-full px-2.5 py-1 text-xs font-medium whitespace-nowrap',
        tone,
        className,
      )}
    >
      <Shown aria-hidden className="size-3.5 shrink-0" />
      {look.label}
    </span>
  )
}
