import { listMethodPricing, listSwitches, turnSwitch } from '@/api/admin.gen'
import type { SwitchTurn } from '@/api/types.gen'
import { polledQuery } from '../shared/polled'

export const switchesQuery = polledQuery(['admin-switches'], (signal) => listSwitches({ signal }))

/** The methods that Pricing has on and off: read once for both pages, each with its own code. */
export const methodsQuery = polledQuery(['admin-pricing', 'methods'], (signal) =>
  listMethodPricing({ signal }),
)

export const turn = async (body: SwitchTurn) => (await turnSwitch({ body })).data
