import { Link } from '@tanstack/react-router'
import { CircleAlert } from 'lucide-react'
import { Notice } from '@/components/states/states'
import { useSignedInUser } from '@/lib/session'
import { orders as texts } from '@/messages/orders'

/** An account on hold is told of wherever its orders stand. */
export function HoldNotice({ className }: { className?: string }) {
  const { hold } = useSignedInUser()
  if (hold !== 'frozen') return null
  return (
    <Notice tone="pending" icon={CircleAlert} title={texts.holdTitle} className={className}>
      {texts.holdText}{' '}
      <Link to="/support" className="font-semibold underline underline-offset-4">
        {texts.holdLink}
      </Link>
    </Notice>
  )
}
