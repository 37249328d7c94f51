import { type Clock, formatVersion, LinkError, type ModuleDescriptor } from '@slotwire/core'
import { SERVICE_NAMES } from '@slotwire/device/names'
import { descriptorFault, MAX_SCLK_KHZ } from '@slotwire/driver'
import { ATTRIBUTE_PATIENCE, attributeValue, DESCRIPTOR_ATTRIBUTES, descriptorOf, isTransient } from '@slotwire/driver/kernel'
import { type Check, type Finding, failure, ok, warning } from '../check.ts'
import { isThere, readText, reasonOf } from '../host/files.ts'
import { numberOf, type OccupiedSlot, occupiedSlots, slotsFolder, typesOf } from '../host/slots.ts'

/** What tells modules apart, shown also where the rest makes no sense. */
const TELLING = ['vendor_product_id', 'product_name', 'serial_code', 'fw_version']

export const slotsCheck: Check = {
  name: 'slots',
  group: 'Hardware',
  isForHardware: true,
  subject: (installation) => slotsFolder(installation),
  run: async (installation, clock) => {
    const folder = slotsFolder(installation)
    if (!(await isThere(folder))) {
      return [failure(`${folder} does not exist`, 'See why the kernel driver offers no slots: dmesg | grep -i sdbp.')]
    }
    const slots = await occupiedSlots(installation)
    if (slots.length === 0) {
      return [
        warning(
          'no module is in any slot',
          'Push the modules in until they click, and see what the kernel says: dmesg | grep -i sdbp.',
        ),
      ]
    }
    return Promise.all(slots.map((slot) => judge(slot, installation.services, clock)))
  },
}

async function judge({ name, folder }: OccupiedSlot, services: readonly string[], clock: Clock): Promise<Finding> {
  const attributes = new Map<string, string>()
  const unreadable: string[] = []
  let attempts = 0
  for (const attribute of DESCRIPTOR_ATTRIBUTES) {
    for (;;) {
      try {
        attributes.set(attribute, attributeValue(await readText(`${folder}/${attribute}`)))
        break
      } catch (error) {
        const reason = reasonOf(error)
        // A slot as a whole has that patience, not each attribute.
        if (isTransient(reason) && ++attempts < ATTRIBUTE_PATIENCE.attempts) {
          await clock.sleep(ATTRIBUTE_PATIENCE.pauseMs)
          continue
        }
        unreadable.push(`${attribute} cannot be read (${reason})`)
        break
      }
    }
  }
  if (unreadable.length > 0) return failure(told(attributes, unreadable.join(', ')), replug(name), name)
  try {
    const values = DESCRIPTOR_ATTRIBUTES.map((attribute) => attributes.get(attribute) ?? '')
    return judgeModule(descriptorOf(numberOf({ name }), values), name, services)
  } catch (error) {
    if (error instanceof LinkError) return failure(told(attributes, error.message.replace(/^slot \d: /, '')), replug(name), name)
    throw error
  }
}

function judgeModule(descriptor: ModuleDescriptor, name: string, services: readonly string[]): Finding {
  const { vendorProductId, productName, serialCode, firmware, bootloaderState, maxSclkSpeedKhz } = descriptor
  const found = `${vendorProductId}, ${productName}, serial ${serialCode}, firmware ${formatVersion(firmware.version)} (${firmware.stability})`
  const known = typesOf(SERVICE_NAMES)
  if (known.includes(vendorProductId) && !typesOf(services).includes(vendorProductId)) {
    return ok(`${found}: left alone, for it is not of the services that are to run (${services.join(', ')})`, name)
  }
  if (bootloaderState === 'in bootloader mode') {
    const remedy =
      'Finish the update of its firmware with the maker’s program; where none is under way, pull the module out and push it in again.'
    return warning(`${found}: in bootloader mode, and not served until its firmware runs`, remedy, name)
  }
  if (!known.includes(vendorProductId)) {
    return warning(
      `${found}: of a type that nobody here drives`,
      `It is left alone; what is driven are ${known.join(', ')}.`,
      name,
    )
  }
  const fault = descriptorFault(descriptor)
  if (fault !== undefined) {
    const remedy =
      'Bring its firmware to a version that keeps to this with the maker’s program, or ask the maker; it is not driven until then.'
    return failure(`${found}: ${fault}`, remedy, name)
  }
  if (maxSclkSpeedKhz > MAX_SCLK_KHZ) {
    const remedy = `It is driven, with a bus clock of ${MAX_SCLK_KHZ} kHz; if exchanges fail, ask its maker for other firmware.`
    return warning(`${found}: max_sclk_speed ${maxSclkSpeedKhz} kHz is more than a bus is known to take`, remedy, name)
  }
  return ok(found, name)
}

/** As much as could be read, then what is the matter. */
function told(attributes: ReadonlyMap<string, string>, trouble: string): string {
  const known = TELLING.flatMap((attribute) => attributes.get(attribute) ?? []).join(', ')
  return known === '' ? trouble : `${known}: ${trouble}`
}

function replug(name: string): string {
  return `Look again in a second; if it stays, pull the module of ${name} out and push it in again, and see dmesg | grep -i sdbp.`
}
