import { stat } from 'node:fs/promises'
import { type Clock, SlotwireError } from '@slotwire/core'
import { allServices } from '@slotwire/device'
import { powerSupplier } from '@slotwire/device/power-supplier'
import { createPowerManagerClient, POWER_MANAGER_SOCKET, powerManagerErrors } from '@slotwire/driver/power-manager'
import { asksForPower } from '@slotwire/service'
import { type Check, type Finding, failure, ok, warning } from '../check.ts'
import { tryToConnect } from '../host/connect.ts'
import { reasonOf, shellWord } from '../host/files.ts'
import { closedFolder, formatRights, giving, mayUse, WRITE } from '../host/permission.ts'
import { drivenSlots, numberOf, occupiedSlots, slotHolding, typesOf } from '../host/slots.ts'
import type { Installation } from '../installation.ts'
import { USUAL_UNIT } from '../units/units-that-serve.ts'

/** Services whose modules power is asked for. */
const ASKING = allServices.filter(asksForPower).map(({ contract }) => contract.service)
/** More than a supply gives, on each rail: nobody holds what is denied. The protocol has no higher figure. */
const MORE_THAN_THERE_IS = { power3v3: 65_535, power5v0: 65_535, power12v: 65_535 }
/** Whoever is busy with another module says so, and is asked once more. */
const ATTEMPTS = 2
const RESTART = 'Start it anew: systemctl restart slotwire-power-manager, or the device’s own power manager where it has one.'

export const powerManagerCheck: Check = {
  name: 'power manager',
  group: 'Ports',
  isForHardware: true,
  isPerService: true,
  subject: ({ powerManager }) => powerManager.socket,
  run: async (installation, clock) =>
    installation.services.some((service) => ASKING.includes(service)) ? [await judge(installation, clock)] : [],
}

async function judge(installation: Installation, clock: Clock): Promise<Finding> {
  const {
    powerManager: { socket, isNamed },
    user,
  } = installation
  const rights = await stat(socket).catch(reasonOf)
  if (rights === 'ENOENT') return judgeMissing(installation)
  if (typeof rights === 'string')
    return failure(`${socket} cannot be looked at (${rights})`, `See what is there as root: stat ${shellWord(socket)}.`)
  if (!rights.isSocket()) {
    return failure(
      `${socket} is no socket`,
      `Name the socket of the power manager with --power-manager <socket> (${POWER_MANAGER_SOCKET} where nothing else is said); what is there: ls -ld ${shellWord(socket)}.`,
    )
  }
  const closed = await closedFolder(socket, user)
  if (closed !== undefined)
    return failure(`${user.name} may not enter ${closed}`, `Let the user in: chmod a+x ${shellWord(closed)}.`)
  if (!mayUse(rights, user, WRITE)) {
    return failure(
      `${user.name} may not use ${socket} (${formatRights(rights)})`,
      `Give it to the user: ${giving(socket, user, 'rw')}.`,
    )
  }
  const outcome = await tryToConnect({ path: socket }, clock)
  if (outcome === 'accepted') return ask(installation, clock)
  if (outcome === 'ECONNREFUSED') {
    // What somebody typed may be another program's.
    const isAnothers = isNamed && socket !== POWER_MANAGER_SOCKET
    return failure(
      `${socket} is left over: nobody listens`,
      isAnothers
        ? 'Start its power manager anew, or name another with --power-manager <socket>, or none.'
        : removing(installation),
    )
  }
  if (outcome === 'EACCES' || outcome === 'EPERM') {
    return warning(
      `${user.name} may use ${socket}, but who asks here may not: whether it answers is not known`,
      'Look again as root.',
    )
  }
  return failure(`${socket} does not answer (${outcome})`, RESTART)
}

async function judgeMissing(installation: Installation): Promise<Finding> {
  const { services, powerManager } = installation
  const { socket, isNamed } = powerManager
  if (isNamed)
    return failure(
      `${socket} does not exist`,
      `Start the power manager: ${starting(installation)}; or leave --power-manager out.`,
    )
  const left = powerSupplier === undefined || services.includes(powerSupplier.service) ? undefined : powerSupplier
  if (left === undefined || (await slotHolding([left.vendorProductId], await occupiedSlots(installation))) === undefined)
    return ok(`${socket} does not exist: the service shares the power out itself`)
  return failure(
    `${socket} does not exist, and the ${left.service} module is left to another service: every power configuration is refused`,
    `Start the power manager: ${starting(installation)}; or have this service serve ${left.service} as well.`,
  )
}

/** Asks as the driver of a module that needs power does, for what nobody can grant: it says whether power can be decided about, and reserves none. */
async function ask(installation: Installation, clock: Clock): Promise<Finding> {
  const { socket } = installation.powerManager
  const asking = await slotHolding(typesOf(ASKING), await drivenSlots(installation))
  if (asking === undefined) return ok(`${socket} accepts; it is asked for ${ASKING.join(' and ')} modules, and none is here`)
  const slot = numberOf(asking)
  const client = createPowerManagerClient({ socket, clock })
  for (let attempt = 1; ; attempt++) {
    try {
      // One that has no limit grants it: given back at once.
      if ((await client.request(slot, MORE_THAN_THERE_IS)).granted) await client.done(slot, false)
      return ok(`${socket} answers`)
    } catch (error) {
      if (!(error instanceof SlotwireError)) throw error
      if (error.definition !== powerManagerErrors.powerManagerRefused.definition) return failure(error.message, RESTART)
      if (attempt < ATTEMPTS) continue
      const units = [...(powerSupplier === undefined ? [] : [`slotwire-${powerSupplier.service}`]), 'slotwire-power-manager']
      const look = `systemctl status ${units.join(' ')}`
      const remedy = `See whether the service with the power module runs where the power manager looks for it: ${look}.`
      return failure(error.message, remedy)
    }
  }
}

/** Wanted by a service of one module type it stays; for anybody else it is enabled, or it would stop by itself. */
function starting(installation: Installation): string {
  return isWanted(installation) ? 'systemctl start slotwire-power-manager' : 'systemctl enable --now slotwire-power-manager'
}

/** Nothing less helps: the unit stays away as long as anything is there. */
function removing(installation: Installation): string {
  const remove = `Remove it: rm ${shellWord(installation.powerManager.socket)}`
  return isWanted(installation)
    ? `${remove} && ${starting(installation)}.`
    : `${remove}; then, for drivers of others, start the power manager: ${starting(installation)}.`
}

/** The units of single types want it, the one for all does not. */
function isWanted({ unit }: Installation): boolean {
  return unit !== undefined && unit.name !== USUAL_UNIT
}
