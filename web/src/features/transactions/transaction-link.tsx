import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Transaction } from '@/api/types.gen'
import { cn } from '@/lib/cn'

interface TransactionLinkProps {
  row: Transaction
  children: ReactNode
  className?: string
}

const pages = { crypto_swap: '/orders/$id', gift_card: '/gift-cards/$id', voucher: '/vouchers/$id' } as const

/** Leads to what a transaction is about. */
export function TransactionLink({ row, children, className }: TransactionLinkProps) {
  return (
    <Link
      to={pages[row.type]}
      params={{ id: row.id }}
      title={row.id}
      className={cn('rounded-sm hover:underline', className)}
    >
      {children}
    </Link>
  )
}
