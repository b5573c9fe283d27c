import { createFileRoute } from '@tanstack/react-router'
import { About } from '@/features/legal/about'

export const Route = createFileRoute('/about')({ component: About })
