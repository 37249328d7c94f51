import { type Rail, seededRandom } from '@slotwire/core'
import { VolatileMemory } from '@slotwire/twin'
import { bareModule } from '../../packages/twin/src/module/bare-module.testkit.ts'
import { powerFirmware } from './firmware.ts'
import * as wire from './wire.ts'

const LOAD_SLOT = 3

/** A power module on an empty board, with a settable load. */
export function barePowerModule<M extends VolatileMemory = VolatileMemory>(options: { seed?: number; memory?: M } = {}) {
  const memory = options.memory ?? (new VolatileMemory() as M)
  const bench = bareModule(powerFirmware, { slot: 1, memory, seed: options.seed ?? 1 })
  const { ask, board } = bench
  return {
    ...bench,
    stats: () => ask(wire.getStats, {}),
    counters: () => ask(wire.getProtectionCounters, {}),
    sensors: () => ask(wire.getTemperatureSensors, {}),
    fan: () => ask(wire.getFanStatus, {}),
    rpm: () => ask(wire.getFanRpm, {}),
    setLimits: (limit_3v3: number, limit_5v0: number, limit_12v: number) =>
      ask(wire.setCurrentLimits, { limit_3v3, limit_5v0, limit_12v }),
    /** The draw of another slot, in mA. */
    load: (draw: Partial<Record<Rail, number>>) => board.rails.setDraw(LOAD_SLOT, { '3v3': 0, '5v0': 0, '12v': 0, ...draw }),
  }
}

/** Seeds whose first random numbers cover the range. */
export const SEEDS = Array.from({ length: 20 }, (_, index) => Math.floor(seededRandom(index)() * 2 ** 31))
