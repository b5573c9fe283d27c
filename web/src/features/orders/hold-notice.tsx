import { Link } from '@tanstack/react-router'
import { CircleAlert } from 'lucide-react'
import { Notice } from '@/components/states/states'
import { useSignedInUser } from '@/lib/session'
import { actionTexts } from '@/messages/actions'
import { orders as texts } from '@/messages/orders'

interface HoldNoticeProps {
  /** What it holds up on this page: open orders, or everything that the account can do. */
  of?: 'orders' | 'account'
  className?: string
}

/** A hold on the account is shown on each page where something waits for it. */
export function HoldNotice({ of = 'orders', className }: HoldNoticeProps) {
  const { hold } = useSignedInUser()
  if (hold !== 'frozen') return null
  return (
    <Notice tone="pending" icon={CircleAlert} title={texts.holdTitle} className={className}>
      {of === 'orders' ? texts.holdText : actionTexts.heldAccount}{' '}
      <Link to="/support" className="font-semibold underline underline-offset-4">
        {texts.holdLink}
      </Link>
    </Notice>
  )
}
