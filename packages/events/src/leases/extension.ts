import { extensionHandlers, type Sender, type ServedExtension } from '@slotwire/service'
import { leaseContract, leaseEndpoints } from './contract.ts'
import type { Leases } from './leases.ts'

const success = { status: 'success' } as const

/** `/slotwire/leases` and `/slotwire/off`. */
export function leaseExtension(leases: Leases): ServedExtension {
  return {
    contract: leaseContract,
    handlers: extensionHandlers(leaseEndpoints, {
      listLeases: (_request, { caller }) => ({ leases: leases.list(caller) }),
      grantLease: ({ body }, { caller }) => leases.grant(body, caller),
      renewLease: ({ body, parameters }, sender) => leases.renew(parameters.number, secretOf(sender), body.ttl_seconds),
      giveBackLease: ({ parameters }, sender) => {
        leases.giveBack(parameters.number, secretOf(sender))
        return success
      },
      switchOff: ({ body }, sender) => leases.switchOff(body.force === true, secretOf(sender), sender.caller),
    }),
    close: () => leases.close(),
  }
}

function secretOf({ headers }: Sender): string | undefined {
  return headers['slotwire-lease']?.toString()
}
