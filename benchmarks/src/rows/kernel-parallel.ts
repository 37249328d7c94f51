import { encodeRequest, getFirmwareVersion } from '@slotwire/sdbp'
import { exchangeRate, startKernelDevice } from '../kernel-device.ts'
import type { Row } from '../row.ts'
import { median } from '../statistics.ts'

const SLOTS = 8
/** How long each module takes to answer. */
const ANSWER_MS = 5

/** Slots do not wait for each other. */
export const kernelParallel: Row = {
  name: 'kernel-parallel',
  what: `exchanges with ${SLOTS} modules side by side that take ${ANSWER_MS} ms, through the kernel adapter`,
  against: 'one of them alone',
  goals: [{ of: 'rate', at: 'least', bound: 7, unit: '×' }],
  measure: async ({ clock, effort }) => {
    const device = await startKernelDevice(clock, { slots: SLOTS, answerMs: ANSWER_MS })
    const of = { clock, payload: encodeRequest(getFirmwareVersion, {}), durationMs: effort.exchangeMs }
    const rounds: { one: number; all: number }[] = []
    try {
      await exchangeRate(device.links, of)
      while (rounds.length < effort.rounds) {
        rounds.push({ one: await exchangeRate(device.links.slice(0, 1), of), all: await exchangeRate(device.links, of) })
      }
    } finally {
      await device.close()
    }
    return [
      {
        measured: `${median(rounds.map(({ all }) => all)).toFixed(0)} /s`,
        comparison: `${median(rounds.map(({ one }) => one)).toFixed(0)} /s`,
        figure: median(rounds.map(({ one, all }) => all / one)),
      },
    ]
  },
}
