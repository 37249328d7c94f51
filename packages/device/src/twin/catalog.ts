import * as contracts from '@slotwire/modules/contracts'
import * as firmwares from '@slotwire/modules/firmwares'

/** All module types by service name, with firmware and contract; used to check scenarios. */
export const catalog = Object.fromEntries(
  Object.values(contracts).map((contract) => [contract.service, { firmware: firmwares[contract.service], contract }]),
)
