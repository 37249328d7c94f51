import type { Clock } from '@slotwire/core'
import { SERVICE_PORTS } from '@slotwire/device/names'
import { type Check, type Finding, failure, ok } from '../check.ts'
import { formatListener, listenerAt } from '../host/listeners.ts'
import type { Installation } from '../installation.ts'
import { isOurPort } from '../slotwire-answer.ts'
import { stopping } from '../units/stopping.ts'

export const originalServicesCheck: Check = {
  name: 'original services',
  group: 'Ports',
  isForHardware: true,
  subject: (installation) => `${portsText(installation)} of loopback`,
  run: async (installation, clock) => {
    const findings = await Promise.all(
      portsOf(installation).map(([service, port]) => judge(installation, { service, port, clock })),
    )
    const found = findings.flat()
    return found.length > 0 ? found : [ok(`nobody listens at ${portsText(installation)}`)]
  },
}

function portsOf({ services }: Installation): readonly (readonly [string, number])[] {
  return Object.entries(SERVICE_PORTS)
    .filter(([service]) => services.includes(service))
    .toSorted(([, one], [, other]) => one - other)
}

function portsText(installation: Installation): string {
  const ports = portsOf(installation).map(([, port]) => port)
  return `the port${ports.length === 1 ? '' : 's'} ${ports.join(', ')}`
}

async function judge(
  installation: Installation,
  { service, port, clock }: { readonly service: string; readonly port: number; readonly clock: Clock },
): Promise<readonly Finding[]> {
  const listener = await listenerAt(installation, port)
  if (listener === undefined) return []
  const name = `port ${port}`
  if (listener.isOurs || (await isOurPort(port, clock))) return [ok(`the ${service} service of a Slotwire that runs`, name)]
  const stop =
    listener.process === undefined
      ? `See whose it is as root (ss -ltnp 'sport = :${port}'), and stop it.`
      : await stopping(installation, listener.process)
  return [
    failure(`taken by ${formatListener(listener)}: the original ${service} service, which drives the same modules?`, stop, name),
  ]
}
