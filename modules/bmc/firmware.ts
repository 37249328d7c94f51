import type { ModuleDescriptor } from '@slotwire/core'
import type { CommandHandler, Firmware, FirmwareContext, FirmwareDefinition } from '@slotwire/twin'
import { on, serialCode } from '@slotwire/twin'
import { Buzzer } from './firmware-buzzer.ts'
import { Sensors } from './firmware-sensors.ts'
import { SettingsStore } from './firmware-settings.ts'
import { UsbPorts } from './firmware-usb.ts'
import { Watchdog } from './firmware-watchdog.ts'
import { BOOTLOADER_WINDOW_MS } from './limits.ts'
import * as wire from './wire.ts'

export { HUB_PORT_OF_SLOT } from './firmware-usb.ts'

/** What the mainboard controller draws, in mA. */
const IDLE_DRAW = { '3v3': 100, '5v0': 200, '12v': 0 } as const

/** The virtual mainboard controller; spec "BMC resources", "BMC watchdog", "BMC USB hub", "USB bootloader". */
export interface BmcFirmware extends Firmware {
  /** For whoever listens to the device. */
  readonly buzzer: Buzzer
  readonly watchdog: Watchdog
  /** The hardware's shutdown switch: the same as SW_SHUTDOWN. */
  pressShutdownSwitch(): void
}

export const bmcFirmware = {
  vendorProductId: wire.BMC_VENDOR_PRODUCT_ID,
  create: createBmc,
} satisfies FirmwareDefinition

function createBmc({ slot, clock, random, memory, board, log }: FirmwareContext): BmcFirmware {
  const settings = new SettingsStore(memory, log)
  const watchdog = new Watchdog(clock, settings, (reason) => board.restartDevice(reason))
  const usb = new UsbPorts(board.usb, settings)
  const buzzer = new Buzzer(clock)
  const sensors = new Sensors(clock, board.computer)
  const descriptor = describe(serialCode(slot, random))
  return {
    buzzer,
    watchdog,
    descriptor: () => descriptor,
    handlers: [
      on(wire.getVoltage, ({ input }) => ({ microvolt: sensors.microvolt(input) })),
      ...usbHandlers(usb),
      ...watchdogHandlers(watchdog, settings),
      on(wire.controlUsbBoot, ({ enabled, milliseconds }) => {
        board.computer.armedBootloader = enabled ? { windowMs: BOOTLOADER_WINDOW_MS, timeoutMs: milliseconds } : undefined
        return {}
      }),
      on(wire.modeBuzzer, ({ mode, milliseconds }) => done(buzzer.command(mode, milliseconds))),
    ],
    reset() {
      settings.reload()
      watchdog.reset()
      board.computer.armedBootloader = undefined
      buzzer.reset()
      usb.reset()
      sensors.powerUp()
      board.rails.setDraw(slot, IDLE_DRAW)
    },
    powerDown() {
      watchdog.powerDown()
      buzzer.silence()
      usb.powerDown()
      sensors.powerDown()
      board.rails.setDraw(slot, undefined)
    },
    factoryReset: () => settings.clear(),
    systemReset: () => board.restartDevice('a hard reset was asked for'),
    statusOfInvalid(command, error) {
      if (command.statuses === undefined) return undefined
      return error.fault === 'value' ? wire.BmcStatus.outOfRange : wire.BmcStatus.failed
    },
    pressShutdownSwitch: () => watchdog.startShutdown(),
  }
}

function usbHandlers(usb: UsbPorts): CommandHandler[] {
  return [
    on(wire.getHubState, () => ({ state: usb.hubState })),
    on(wire.setHubState, ({ enabled }) => done(usb.saveHub(enabled))),
    on(wire.getUsbSlotState, () => ({ states: usb.slotStates })),
    on(wire.setUsbSlotState, ({ enabled, slot }) => done(usb.saveSlot(slot, enabled))),
    on(wire.hubReset, () => done(usb.hubReset())),
    on(wire.getPortMapping, () => ({ ports: usb.portOfSlot })),
  ]
}

function watchdogHandlers(watchdog: Watchdog, settings: SettingsStore): CommandHandler[] {
  return [
    on(wire.enableTimeout, ({ milliseconds }) => done(watchdog.setTimeout(milliseconds))),
    on(wire.disableTimeout, () => done(watchdog.setTimeout(0))),
    on(wire.getTimeout, () => ({ milliseconds: watchdog.timeoutMs })),
    on(wire.getTimeLeft, () => ({ milliseconds: watchdog.timeLeftMs })),
    on(wire.alive, () => done(watchdog.alive())),
    on(wire.saveConfig, () => done(watchdog.save())),
    on(wire.setShutdownTimeout, ({ milliseconds }) => done(watchdog.setShutdownTimeout(milliseconds))),
    on(wire.getShutdownTimeout, () => ({ milliseconds: watchdog.shutdownTimeoutMs })),
    on(wire.softwareShutdown, () => done(watchdog.startShutdown())),
    on(wire.getEmergencyMode, () => ({ emergency: settings.emergency })),
  ]
}

/** The empty response of a command that is done. */
function done(_nothing: void): Record<never, never> {
  return {}
}

function describe(serial: string): ModuleDescriptor {
  const version = { major: 1, minor: 0, patch: 0 }
  return {
    vendorProductId: wire.BMC_VENDOR_PRODUCT_ID,
    productName: 'Virtual mainboard controller',
    vendorName: 'Slotwire',
    serialCode: serial,
    firmware: { stability: 'S', version },
    hardwareVersion: version,
    protocolVersion: version,
    bootloaderState: 'supported',
    maxFrameSize: 1024,
    maxPower3v3: 400,
    maxPower5v0: 1200,
    maxPower12v: 50,
    maxSclkSpeedKhz: 20_000,
  }
}
