import * as contracts from '@slotwire/modules/contracts'
import * as firmwares from '@slotwire/modules/firmwares'

/** Every module type there is, by the name of its service, with its virtual module and its contract: what scenarios are checked against. */
export const catalog = Object.fromEntries(
  Object.values(contracts).map((contract) => [contract.service, { firmware: firmwares[contract.service], contract }]),
)
