import { UsersRound } from 'lucide-react'
import type { AdminOrderDetail } from '@/api/types.gen'
import { Notice } from '@/components/states/states'
import { compare } from '@/lib/money'
import { proposals as texts } from '@/messages/admin-proposals'

/** What one admin decides alone, where a sum is above it. */
export function limitPassed(order: AdminOrderDetail, sum: string): string | undefined {
  return compare(sum, order.twoAbove) > 0 ? order.twoAbove : undefined
}

/** Shown before an admin proposes what a second admin has to approve. */
export function TakesTwo({ children }: { children: string }) {
  return (
    <Notice tone="pending" icon={UsersRound} title={texts.badge} role="status" className="mb-4">
      {children}
    </Notice>
  )
}
