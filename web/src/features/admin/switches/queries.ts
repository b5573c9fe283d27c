import { listSwitches, turnSwitch } from '@/api/admin.gen'
import type { SwitchTurn } from '@/api/types.gen'
import { polledQuery } from '../shared/polled'

export const switchesQuery = polledQuery(['admin-switches'], (signal) => listSwitches({ signal }))

export const turn = async (body: SwitchTurn) => (await turnSwitch({ body })).data
