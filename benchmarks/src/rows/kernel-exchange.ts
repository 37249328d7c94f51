import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { encodeRequest, getFirmwareVersion } from '@slotwire/sdbp'
import { exchangeRate, startKernelDevice } from '../kernel-device.ts'
import { startLineProgram } from '../line-program.ts'
import type { Row } from '../row.ts'
import { median } from '../statistics.ts'

const BARE_LOOP = fileURLToPath(new URL('../programs/bare-exchanges.js', import.meta.url))

/** What the way through the kernel adapter costs, beside the system calls themselves. */
export const kernelExchange: Row = {
  name: 'kernel-exchange',
  what: 'exchanges with a module through the kernel adapter, one slot',
  against: 'a bare loop of write and read on the same pseudo-terminal',
  goals: [{ of: 'rate', at: 'least', bound: 0.7, unit: '×' }],
  measure: async ({ clock, effort }) => {
    const payload = encodeRequest(getFirmwareVersion, {})
    const device = await startKernelDevice(clock)
    const durationMs = effort.exchangeMs
    const bareLoop = startLineProgram([
      BARE_LOOP,
      join(device.devRoot, 'slot0'),
      Buffer.from(payload).toString('hex'),
      String(durationMs),
    ])
    const adapterRate = (): Promise<number> => exchangeRate(device.links, { clock, payload, durationMs })
    const bareRate = async (): Promise<number> => {
      bareLoop.tell('.')
      return Number(await bareLoop.line())
    }
    try {
      await bareRate()
      await adapterRate()
      const rounds: { bare: number; adapter: number }[] = []
      while (rounds.length < effort.rounds) rounds.push({ bare: await bareRate(), adapter: await adapterRate() })
      return [
        {
          measured: `${median(rounds.map(({ adapter }) => adapter)).toFixed(0)} /s`,
          comparison: `${median(rounds.map(({ bare }) => bare)).toFixed(0)} /s`,
          figure: median(rounds.map(({ bare, adapter }) => adapter / bare)),
        },
      ]
    } finally {
      await bareLoop.stop()
      await device.close()
    }
  },
}
