import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { NTC0, NTC1 } from '../../modules/bmc/firmware-sensors.ts'
import { CONVERTERS } from '../../modules/power/firmware-supply.ts'
import { CONVERTER_LOSS, FAN_COOLING, ON_BOARD, PMC } from '../../modules/power/firmware-thermal.ts'
import { RESTART_DELAY_MS } from '../../packages/twin/src/board/chassis.ts'
import { DEFAULT_LOAD_WATT } from '../../packages/twin/src/board/compute-module.ts'
import { LOSSES_MULTIPLE } from '../../packages/twin/src/circuit/elements/reactive-parts.ts'
import { CLAMP_VOLTS, IDEAL_OHMS } from '../../packages/twin/src/circuit/index.ts'

const page = readFileSync(new URL('../../docs/reference/twin.md', import.meta.url), 'utf8').replaceAll('\n', ' ')

const seconds = (ms: number): string => `${ms / 1000} s`
const THIRD = 3

it.each([
  `anything with 0 Ω | ${IDEAL_OHMS * 1000} mΩ |`,
  `stays within −${CLAMP_VOLTS}…${CLAMP_VOLTS} V`,
  `A resistance of ${LOSSES_MULTIPLE} times \`ohms\` across it`,
  `It begins ${RESTART_DELAY_MS} ms after its cause`,
  ...Object.entries(CONVERTERS).map(([rail, { millivolt, sag, efficiency }]) => {
    return `| ${rail.toUpperCase()} | ${(millivolt / 1000).toFixed(3)} V | ${sag * 1000} mV per A | ${efficiency * 100} % |`
  }),
  `| PMC | ${PMC.idleKelvin} K + ${PMC.kelvinPerWatt} K per watt that the rails' converters dissipate | ${seconds(PMC.timeConstantMs)} |`,
  `| on board | ${ON_BOARD.idleKelvin} K + ${ON_BOARD.kelvinPerWatt} K per watt that the AC/DC converter loses: ${CONVERTER_LOSS * 100} % of the power on the rails | ${seconds(ON_BOARD.timeConstantMs)} |`,
  `| mainboard, near the SoC | ${NTC0.kelvinPerWatt} K per watt of the computer (${DEFAULT_LOAD_WATT} W by default) | ${seconds(NTC0.timeConstantMs)} |`,
  `| mainboard, near the buzzer | ${NTC1.kelvinPerWatt} K per watt of the computer | ${seconds(NTC1.timeConstantMs)} |`,
])('the page on the twin says: %s', (text) => expect(page).toContain(text))

it('the page on the twin says that the fan at full speed leaves a third of the heat', () => {
  expect(1 + FAN_COOLING).toBe(THIRD)
  expect(page).toContain("the rise of the power module's two sensors is a third")
})
