import { createFileRoute } from '@tanstack/react-router'
import { JournalScreen } from '@/features/admin/money/journal-screen'

export const Route = createFileRoute('/admin/ledger/journal')({ component: JournalScreen })
