import { perRail } from '@slotwire/core'
import {
  type CommandHandler,
  type Firmware,
  type FirmwareContext,
  type FirmwareDefinition,
  on,
  Refusal,
  virtualDescriptor,
} from '@slotwire/twin'
import { isCounts, ProtectionCounters } from './firmware-counters.ts'
import { Fan } from './firmware-fan.ts'
import { Protection } from './firmware-protection.ts'
import { SOURCE, Supply } from './firmware-supply.ts'
import { Thermal } from './firmware-thermal.ts'
import * as wire from './wire.ts'

const OWN_DESCRIPTOR = {
  vendorProductId: wire.POWER_VENDOR_PRODUCT_ID,
  productName: 'Virtual power supply',
  maxPower3v3: 250,
  maxPower5v0: 150,
  maxPower12v: 150,
} as const

/** Draw of the power module, in mA. */
const IDLE_DRAW = { '3v3': 60, '5v0': 20, '12v': 10 } as const
/** Status of FACTORY_RESET when the memory cannot be written. */
const FAILED = 1
/** Result of FAN_RPM_CONTROL for a byte that is neither on nor off. */
const RPM_CONTROL_ERROR = 2

/** The virtual power supply; spec "Power module resources", "Fan". */
export interface PowerFirmware extends Firmware {
  /** For observers of the device. */
  readonly supply: Supply
  readonly thermal: Thermal
  readonly fan: Fan
}

export const powerFirmware = {
  vendorProductId: wire.POWER_VENDOR_PRODUCT_ID,
  defects: ['fan_blocked'],
  isMemory: isCounts,
  create: createPower,
} satisfies FirmwareDefinition

function createPower({ slot, clock, random, memory, board, log }: FirmwareContext): PowerFirmware {
  const descriptor = virtualDescriptor({ slot, random }, OWN_DESCRIPTOR)
  const counters = new ProtectionCounters(memory, clock, log)
  const supply = new Supply(board.rails)
  const protection = new Protection(clock, board, supply, counters)
  const fan = new Fan(clock, random, () => thermal.check())
  const thermal = new Thermal(clock, board.computer, supply, fan, (isTooHot) => protection.setTooHot(isTooHot))
  const check = (): void => {
    protection.check()
    thermal.check()
  }
  let unsubscribe: (() => void)[] = []
  return {
    supply,
    thermal,
    fan,
    descriptor: () => descriptor,
    handlers: [...supplyHandlers(supply, counters, () => protection.check()), ...thermalHandlers(thermal, fan)],
    reset() {
      supply.resetLimits()
      fan.reset()
      if (unsubscribe.length === 0) unsubscribe = [board.rails.onChange(check), board.computer.onChange(() => thermal.check())]
      board.rails.setDraw(slot, IDLE_DRAW)
      protection.powerUp()
      check()
    },
    powerDown() {
      for (const stop of unsubscribe) stop()
      unsubscribe = []
      protection.powerDown()
      thermal.powerDown()
      fan.powerDown()
      counters.powerDown()
      board.rails.setDraw(slot, undefined)
    },
    defects: { fan_blocked: () => fan.block() },
    factoryReset() {
      try {
        counters.clear()
      } catch (error) {
        log.error({ err: error }, 'the memory of the power module cannot be cleared')
        throw new Refusal(FAILED)
      }
    },
    statusOfInvalid(command, error) {
      if (error.fault !== 'value') return undefined
      if (command.class === wire.setFanRpm.class && command.operation === wire.setFanRpm.operation) return RPM_CONTROL_ERROR
      return error.field === 'mode' ? wire.FanControlResult.invalidMode : wire.FanControlResult.forceFailed
    },
  }
}

function supplyHandlers(supply: Supply, counters: ProtectionCounters, onLimits: () => void): CommandHandler[] {
  return [
    on(wire.getSource, () => SOURCE),
    on(wire.setCurrentLimits, (limits) => {
      const taken = perRail('limit_', (rail) => supply.setLimit(rail, limits[`limit_${rail}`]))
      onLimits()
      return taken
    }),
    on(wire.getStats, () => ({
      ...perRail('voltage_', (rail) => Math.round(supply.millivolt(rail))),
      ...perRail('current_', (rail) => Math.round(supply.milliampere(rail))),
      ...perRail('limit_', (rail) => supply.limit(rail)),
    })),
    on(wire.getProtectionCounters, () => counters.read()),
  ]
}

function thermalHandlers(thermal: Thermal, fan: Fan): CommandHandler[] {
  return [
    on(wire.getTemperatureSensors, () => thermal.readings()),
    on(wire.getFanStatus, () => fan.status),
    on(wire.setFan, ({ forced, mode }) => {
      fan.set(forced, mode)
      return { result: wire.FanControlResult.ok }
    }),
    on(wire.getFanRpm, () => fan.speed),
    on(wire.setFanRpm, ({ enabled }) => {
      fan.setMeasuring(enabled)
      return { ok: true }
    }),
  ]
}
