import { listMethodPricing, listSwitches, turnSwitch } from '@/api/admin.gen'
import type { SwitchTurn } from '@/api/types.gen'
import { polledQuery } from '../shared/polled'

export const switchesQuery = polledQuery(['admin-switches'], (signal) => listSwitches({ signal }))

/** The methods that Pricing has on and off; under the key of its own page. */
export const pricesQuery = polledQuery(['admin-pricing', 'methods'], (signal) =>
  listMethodPricing({ signal }),
)

export const turn = async (body: SwitchTurn) => (await turnSwitch({ body })).data
