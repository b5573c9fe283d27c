import { Link } from '@tanstack/react-router'
import { Page } from '@/components/layout/page'
import { Pair, Pairs } from '@/components/money/money'
import { Card, CardTitle } from '@/components/ui/card'
import { useUser } from '@/lib/session'
import { testPage } from '@/messages/referral'
import { pages } from '@/pages'

const paths = [...new Set(pages.map(([pattern]) => pattern))].filter((pattern) => !pattern.includes('{'))

/** specification §2's /test: login state, admin flag and links. */
export function TestPage() {
  const user = useUser()
  return (
    <Page title={testPage.title} lead={testPage.lead}>
      <div className="grid gap-6 md:grid-cols-2">
        <Card>
          <Pairs>
            <Pair name={testPage.signedIn}>{user ? testPage.yes : testPage.no}</Pair>
            <Pair name={testPage.isAdmin}>{user?.isAdmin ? testPage.yes : testPage.no}</Pair>
            <Pair name={testPage.user}>{user?.email ?? '—'}</Pair>
          </Pairs>
        </Card>
        <Card>
          <CardTitle className="mb-3">{testPage.pages}</CardTitle>
          <ul className="grid grid-cols-1 gap-x-4 sm:grid-cols-2">
            {paths.map((path) => (
              <li key={path}>
                <Link
                  to={path}
                  className="inline-block py-1 font-mono text-dense wrap-anywhere text-primary hover:underline"
                >
                  {path}
                </Link>
              </li>
            ))}
          </ul>
        </Card>
      </div>
    </Page>
  )
}
