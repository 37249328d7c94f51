import { coreErrors, dividerCelsius, type HostDevice, type HostDeviceQuery } from '@slotwire/core'
import { type ModuleRefusal, systemReset } from '@slotwire/sdbp'
import { moduleService, refusedAs } from '@slotwire/service'
import { bmcContract, perSlot } from './contract.ts'
import { bmcErrors } from './errors.ts'
import { bmcJournal } from './journal.ts'
import { bmcLimits } from './limits.ts'
import { bmcReadings } from './readings.ts'
import type { HubState } from './wire.ts'
import * as wire from './wire.ts'

const { BmcStatus } = wire
const UNKNOWN = 'Unknown'
const late = (milliseconds: number): Error => bmcErrors.usbDevicesNotRead({ milliseconds })

/** A command that saves fails if the module's storage cannot be written. Emergency mode is a state and is refused below. */
const unsaved = { [BmcStatus.failed]: (refusal: ModuleRefusal) => bmcErrors.savingFailed({ cause: refusal }) } as const

/** The bmc service: contract ↔ wire; spec "BMC service". */
export const bmcService = moduleService(bmcContract, {
  vendorProductId: wire.BMC_VENDOR_PRODUCT_ID,
  probe: wire.getHubState,
  readings: bmcReadings,
  journal: bmcJournal,
  // Every refusal because of the storage has the same error; behaviour.md "bmc".
  refusal: ({ status }) => (status === BmcStatus.flashProtected ? bmcErrors.emergencyMode() : undefined),
  handlers: {
    getVoltage: async (exchange) => {
      const rail = await exchange(wire.getVoltage, { input: 'rail1v8' })
      const battery = await exchange(wire.getVoltage, { input: 'rtcBattery' })
      return { voltage_1v8: millivoltOf(rail.microvolt), voltage_rtc: millivoltOf(battery.microvolt) }
    },

    getTemperature: async (exchange, _request, { slot }) => {
      const ntc0 = await exchange(wire.getVoltage, { input: 'ntc0' })
      const ntc1 = await exchange(wire.getVoltage, { input: 'ntc1' })
      return { ntc_0: celsiusOf(ntc0.microvolt, slot.slot), ntc_1: celsiusOf(ntc1.microvolt, slot.slot) }
    },

    setBuzzer: (exchange, { body: { mode, duration: milliseconds } }) => exchange(wire.modeBuzzer, { mode, milliseconds }),

    getWatchdog: async (exchange) => ({
      timeout: (await exchange(wire.getTimeout, {})).milliseconds,
      timeout_left: (await exchange(wire.getTimeLeft, {})).milliseconds,
      shutdown_timeout: (await exchange(wire.getShutdownTimeout, {})).milliseconds,
      emergency_mode: (await exchange(wire.getEmergencyMode, {})).emergency,
    }),

    setWatchdog: (exchange, { body: { timeout: milliseconds } }) =>
      milliseconds === 0 ? exchange(wire.disableTimeout, {}) : exchange(wire.enableTimeout, { milliseconds }),

    setShutdownTimeout: (exchange, { body: { timeout: milliseconds } }) =>
      refusedAs(exchange(wire.setShutdownTimeout, { milliseconds }), unsaved),

    startShutdown: (exchange) => exchange(wire.softwareShutdown, {}),

    feedWatchdog: (exchange) => refusedAs(exchange(wire.alive, {}), { [BmcStatus.wrongState]: () => bmcErrors.watchdogOff() }),

    saveWatchdog: (exchange) => refusedAs(exchange(wire.saveConfig, {}), unsaved),

    getUsbHub: async (exchange) => {
      const { state } = await exchange(wire.getHubState, {})
      const { states } = await exchange(wire.getUsbSlotState, {})
      return { hub_state: state, ...perSlot((slot) => states[slot] ?? 'not available') }
    },

    getUsbDevices: {
      kind: 'direct',
      run: async (_request, { slot: bmc, hostDevices }) => {
        // Request the host's list inside the job, so that callers share it like the exchanges, and wait for it outside.
        const { hub, onHost } = await bmc.read('usb devices', { fresh: true }, async (exchange) => {
          const { state } = await exchange(wire.getHubState, {})
          const { states } = await exchange(wire.getUsbSlotState, {})
          const { ports } = await exchange(wire.getPortMapping, {})
          return { hub: { hub: state, states, ports }, onHost: hostDevices(BEHIND_USB_HUB, late) }
        })
        const devices = placeUsbDevices(hub, await onHost)
        return {
          devices: devices.map(({ slot, port, device }) => ({
            slot,
            usb_port: port,
            manufacturer: device.attributes['manufacturer'] || UNKNOWN,
            product: device.attributes['product'] || UNKNOWN,
            serial_code: device.attributes['serial'] ?? '',
            system_path: device.systemPath,
          })),
        }
      },
    },

    setUsbHub: (exchange, { body: { state: enabled } }) =>
      refusedAs(exchange(wire.setHubState, { enabled }), {
        ...unsaved,
        [BmcStatus.wrongState]: () => bmcErrors.usbHubNotAvailable(),
      }),

    setUsbSlot: async (exchange, { body: { state: enabled }, parameters: { number: slot } }) => {
      const notAvailable = () => bmcErrors.usbPortNotAvailable({ slot })
      if (slot < bmcLimits.usbSlot.min || slot > bmcLimits.usbSlot.max) throw notAvailable()
      await refusedAs(exchange(wire.setUsbSlotState, { enabled, slot }), {
        ...unsaved,
        [BmcStatus.outOfRange]: notAvailable,
        [BmcStatus.wrongState]: notAvailable,
      })
    },

    resetUsbHub: (exchange) => exchange(wire.hubReset, {}),

    setUsbBootloader: (exchange, { body: { enabled, timeout = 0 } }) =>
      exchange(wire.controlUsbBoot, { enabled, milliseconds: enabled ? timeout : 0 }),

    hardReset: (exchange) => exchange(systemReset, {}),
  },
})

function millivoltOf(microvolt: number): number {
  return Math.round(microvolt / 1000)
}

/** Rounded to 0.001 °C. A voltage that no thermistor gives is an invalid answer. */
function celsiusOf(microvolt: number, slot: number): number {
  const celsius = dividerCelsius(wire.THERMISTOR, microvolt / 1e6)
  if (celsius === undefined) throw coreErrors.moduleAnswerInvalid({ slot, command: wire.getVoltage.name })
  return Math.round(celsius * 1000) / 1000
}

/** The results of GET_HUB_STATE, GET_USB_SLOT_STATE and GET_PORT_MAPPING by slot; port 0 without USB. */
interface HubReplies {
  readonly hub: HubState
  readonly states: readonly HubState[]
  readonly ports: readonly number[]
}

/** A device behind the hub on a port of bus 1: `1-1.4`, and `1-1.4.2` behind another hub there. Interfaces have a `:`. */
const BEHIND_HUB = /^1-\d+\.(\d+)(\.\d+)*$/
/** The devices behind the USB hub; wire-protocol.md section 2, "bmc module". */
export const BEHIND_USB_HUB: HostDeviceQuery = {
  bus: 'usb',
  names: BEHIND_HUB,
  attributes: ['manufacturer', 'product', 'serial'],
}

/**
 * Finds the slots and physical hub ports of the host's USB devices, ordered by slot. Ports that are off are missing from the hub's numbering.
 * So the host sees a slot at its mapped port minus the number of lower mapped ports that are off; wire-protocol.md section 2, "bmc module".
 */
export function placeUsbDevices({ hub, states, ports }: HubReplies, devices: readonly HostDevice[]) {
  if (hub !== 'enabled') return []
  const off = ports.filter((port, slot) => port !== 0 && states[slot] !== 'enabled')
  return ports.flatMap((port, slot) => {
    if (port === 0 || states[slot] !== 'enabled') return []
    const effective = port - off.filter((lower) => lower < port).length
    return devices.filter(({ name }) => hubPort(name) === effective).map((device) => ({ slot, port, device }))
  })
}

/** The hub's port number as the host counts. */
function hubPort(name: string): number {
  return Number(BEHIND_HUB.exec(name)?.[1])
}
