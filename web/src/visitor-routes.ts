import type { RouteTree } from './router'
import { Route as root } from './routes/__root'
import { Route as about } from './routes/about'
import { Route as index } from './routes/index'
import { Route as legal } from './routes/legal/$document'
import { Route as open } from './routes/open'
import { Route as pricing } from './routes/pricing'
import { Route as privacy } from './routes/privacy'
import { Route as referral } from './routes/referral'
import { Route as terms } from './routes/terms'
import { Route as test } from './routes/test'

const visible = {
  '/': index,
  '/about': about,
  '/legal/$document': legal,
  '/open': open,
  '/pricing': pricing,
  '/privacy': privacy,
  '/referral': referral,
  '/terms': terms,
  '/test': test,
}

/**
 * The pages a visitor can see. Every other address is the 404 page to them (rules §6), so the first page
 * loads neither the routes of the app nor the back office's; signing in is a page load, which brings the
 * whole tree (routeTree.gen.ts). For links both trees have the same type.
 */
export function visitorRoutes(): RouteTree {
  const children = Object.entries(visible).map(([path, route]) =>
    route.update({ id: path, path, getParentRoute: () => root } as never),
  )
  return root.addChildren(children) as unknown as RouteTree
}
