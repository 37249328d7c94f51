import { existsSync } from 'node:fs'
import { type Clock, SlotwireError } from '@slotwire/core'
import { allServices } from '@slotwire/device'
import { powerSupplier } from '@slotwire/device/power-supplier'
import { createPowerManagerClient, POWER_MANAGER_SOCKET } from '@slotwire/driver/power-manager'
import { usesPowerBudget } from '@slotwire/service'
import { accessFault, READ_WRITE } from './account.ts'
import { type Finding, failure, ok, perService } from './check.ts'
import { drivenSlots, occupiedSlots, typesOf } from './slot-holders.ts'
import type { Service, Subject } from './subject.ts'

/** Services whose modules need power. */
const ASKING = allServices.filter(usesPowerBudget).map(({ contract }) => contract.service)
/** More than any supply has, and the highest value of the protocol: a power manager denies it, and nothing changes. */
const TOO_MUCH = { power3v3: 65_535, power5v0: 65_535, power12v: 65_535 }
const LOOK = 'Check that it and the service of the power module run: systemctl status slotwire-power-manager slotwire.'

const socketOf = ({ powerManager = POWER_MANAGER_SOCKET }: Service): string => powerManager

export const powerManagerCheck = perService('power manager', 'Hardware', socketOf, async (service, subject, clock) =>
  service.services.some((name) => ASKING.includes(name)) ? [await judge(service, subject, clock)] : [],
)

async function judge(service: Service, subject: Subject, clock: Clock): Promise<Finding> {
  const socket = socketOf(service)
  if (!existsSync(socket)) return judgeMissing(socket, service, subject)
  const fault = accessFault(socket, subject.user, READ_WRITE)
  if (fault !== undefined) return fault
  const slot = drivenSlots(subject).find(({ type }) => typesOf(ASKING).includes(type))
  if (slot === undefined) return ok(`${socket} exists; no module here needs it`)
  const client = createPowerManagerClient({ socket, clock })
  const ask = async (): Promise<void> => {
    // A power manager without a limit grants even this: release it immediately.
    if ((await client.request(slot.number, TOO_MUCH)).granted) await client.done(slot.number, false)
  }
  try {
    // A power manager that is busy with another module fails once: ask again.
    await ask().catch(ask)
    return ok(`${socket} answers`)
  } catch (error) {
    if (error instanceof SlotwireError) return failure(error.message, LOOK)
    throw error
  }
}

function judgeMissing(socket: string, service: Service, subject: Subject): Finding {
  const start = 'Start the power manager: systemctl enable --now slotwire-power-manager'
  if (service.powerManager !== undefined) return failure(`${socket} does not exist`, `${start}; or omit --power-manager.`)
  const isElsewhere = powerSupplier !== undefined && !service.services.includes(powerSupplier.service)
  const supply = isElsewhere ? occupiedSlots(subject).find(({ type }) => type === powerSupplier?.vendorProductId) : undefined
  if (supply === undefined) return ok(`${socket} does not exist: the service manages the power itself`)
  return failure(
    `${socket} does not exist, and another service drives the module in ${supply.name}: no pin gets power`,
    `${start}.`,
  )
}
