import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Transaction } from '@/api/types.gen'
import { cn } from '@/lib/cn'

interface TransactionLinkProps {
  row: Transaction
  children: ReactNode
  className?: string
}

/** Leads to what a transaction is about; a voucher has no page of its own. */
export function TransactionLink({ row, children, className }: TransactionLinkProps) {
  const look = cn('rounded-sm hover:underline', className)
  if (row.type === 'gift_card')
    return (
      <Link to="/gift-cards/$id" params={{ id: row.id }} title={row.id} className={look}>
        {children}
      </Link>
    )
  if (row.type === 'crypto_swap')
    return (
      <Link to="/orders/$id" params={{ id: row.id }} title={row.id} className={look}>
        {children}
      </Link>
    )
  return (
    <span title={row.id} className={className}>
      {children}
    </span>
  )
}
