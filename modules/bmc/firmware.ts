import type { Clock } from '@slotwire/core'
import {
  type CommandHandler,
  type Firmware,
  type FirmwareContext,
  type FirmwareDefinition,
  obey,
  on,
  virtualDescriptor,
} from '@slotwire/twin'
import { Sensors } from './firmware-sensors.ts'
import { SettingsStore, settingsOf } from './firmware-settings.ts'
import { USB_PORTS, UsbPorts } from './firmware-usb.ts'
import { Watchdog } from './firmware-watchdog.ts'
import { BOOTLOADER_WINDOW_MS } from './limits.ts'
import * as wire from './wire.ts'

/** Most recorded notes; older ones are dropped. */
export const MAX_BUZZER_NOTES = 100
/** Lower MODE_BUZZER modes switch the internal sounds; this one plays sound 1. */
const FIRST_SOUND_MODE = 2

/** A sound that was played, 1…4. */
interface BuzzerNote {
  readonly sound: number
  readonly startMs: number
  /** Earlier than requested if it was silenced or replaced by the next. */
  readonly endMs: number
}

/** The buzzer, with a record of what it played. Spec "BMC service" rules 1 and 2. */
class Buzzer {
  readonly #record: BuzzerNote[] = []
  #internalSounds = true

  constructor(private readonly clock: Clock) {}

  /** Oldest first. */
  get record(): readonly BuzzerNote[] {
    return this.#record
  }

  get internalSounds(): boolean {
    return this.#internalSounds
  }

  /** The note that is playing now. */
  get playing(): BuzzerNote | undefined {
    const last = this.#record.at(-1)
    return last !== undefined && last.endMs > this.clock.now() ? last : undefined
  }

  /** Mode 0, 1: internal sounds off, on. Mode 2…5: plays sound 1…4 and stops the current one. */
  command(mode: number, durationMs: number): void {
    if (mode < FIRST_SOUND_MODE) {
      this.#internalSounds = mode === 1
      return
    }
    this.silence()
    const startMs = this.clock.now()
    this.#record.push({ sound: mode - FIRST_SOUND_MODE + 1, startMs, endMs: startMs + durationMs })
    if (this.#record.length > MAX_BUZZER_NOTES) this.#record.shift()
  }

  silence(): void {
    const { playing } = this
    if (playing !== undefined) this.#record[this.#record.length - 1] = { ...playing, endMs: this.clock.now() }
  }

  reset(): void {
    this.silence()
    this.#internalSounds = true
  }
}

const OWN_DESCRIPTOR = {
  vendorProductId: wire.BMC_VENDOR_PRODUCT_ID,
  productName: 'Virtual mainboard controller',
  maxPower3v3: 400,
  maxPower5v0: 1200,
  maxPower12v: 50,
} as const

/** Current of the mainboard controller, in mA. */
const IDLE_DRAW = { '3v3': 100, '5v0': 200, '12v': 0 } as const

/** The virtual mainboard controller; spec "BMC resources", "BMC watchdog", "BMC USB hub", "USB bootloader". */
export interface BmcFirmware extends Firmware {
  /** For observers of the device. */
  readonly buzzer: Buzzer
  readonly watchdog: Watchdog
  /** The hardware shutdown switch does the same as SW_SHUTDOWN. */
  readonly actions: { readonly shutdown_switch: () => void }
}

export const bmcFirmware = {
  vendorProductId: wire.BMC_VENDOR_PRODUCT_ID,
  usbPorts: USB_PORTS,
  actions: ['shutdown_switch'],
  defects: ['usb_hub_missing'],
  isMemory: (document) => settingsOf(document) !== undefined,
  create: createBmc,
} satisfies FirmwareDefinition

function createBmc({ slot, clock, random, memory, board, log }: FirmwareContext): BmcFirmware {
  const settings = new SettingsStore(memory, log)
  const watchdog = new Watchdog(clock, settings, (reason) => board.restartDevice(reason))
  const usb = new UsbPorts(board.usb, settings)
  const buzzer = new Buzzer(clock)
  const sensors = new Sensors(clock, board.computer)
  const descriptor = virtualDescriptor({ slot, random }, OWN_DESCRIPTOR)
  return {
    buzzer,
    watchdog,
    descriptor: () => descriptor,
    handlers: [
      on(wire.getVoltage, ({ input }) => ({ microvolt: sensors.microvolt(input) })),
      ...usbHandlers(usb),
      ...watchdogHandlers(watchdog, settings),
      obey(wire.controlUsbBoot, ({ enabled, milliseconds }) => {
        board.computer.armedBootloader = enabled ? { windowMs: BOOTLOADER_WINDOW_MS, timeoutMs: milliseconds } : undefined
      }),
      obey(wire.modeBuzzer, ({ mode, milliseconds }) => buzzer.command(mode, milliseconds)),
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
    actions: { shutdown_switch: () => watchdog.startShutdown() },
    defects: { usb_hub_missing: () => usb.lose() },
    observations: { buzzer: () => ({ internal_sounds: buzzer.internalSounds, played: buzzer.record }) },
  }
}

function usbHandlers(usb: UsbPorts): CommandHandler[] {
  return [
    on(wire.getHubState, () => ({ state: usb.hubState })),
    obey(wire.setHubState, ({ enabled }) => usb.saveHub(enabled)),
    on(wire.getUsbSlotState, () => ({ states: usb.slotStates })),
    obey(wire.setUsbSlotState, ({ enabled, slot }) => usb.saveSlot(slot, enabled)),
    obey(wire.hubReset, () => usb.hubReset()),
    on(wire.getPortMapping, () => ({ ports: usb.portOfSlot })),
  ]
}

function watchdogHandlers(watchdog: Watchdog, settings: SettingsStore): CommandHandler[] {
  return [
    obey(wire.enableTimeout, ({ milliseconds }) => watchdog.changeTimeout(milliseconds)),
    obey(wire.disableTimeout, () => watchdog.changeTimeout(0)),
    on(wire.getTimeout, () => ({ milliseconds: watchdog.timeoutMs })),
    on(wire.getTimeLeft, () => ({ milliseconds: watchdog.timeLeftMs })),
    obey(wire.alive, () => watchdog.alive()),
    obey(wire.saveConfig, () => watchdog.save()),
    obey(wire.setShutdownTimeout, ({ milliseconds }) => settings.save({ shutdownTimeoutMs: milliseconds })),
    on(wire.getShutdownTimeout, () => ({ milliseconds: settings.saved.shutdownTimeoutMs })),
    obey(wire.softwareShutdown, () => watchdog.startShutdown()),
    on(wire.getEmergencyMode, () => ({ emergency: settings.emergency })),
  ]
}
