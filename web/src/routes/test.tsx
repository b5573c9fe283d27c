import { createFileRoute } from '@tanstack/react-router'
import { TestPage } from '@/features/test-page/test-page'

export const Route = createFileRoute('/test')({ component: TestPage })
