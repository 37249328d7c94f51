import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Clock, type SlotLink, silentLog } from '@slotwire/core'
import { createKernelBackplane } from '@slotwire/driver/kernel'
import { encodeRequest, getFirmwareVersion } from '@slotwire/sdbp'
import { startProgram } from '../program.ts'
import type { Row } from '../row.ts'
import { inTurn, readingOf } from '../statistics.ts'

const DEVICE = fileURLToPath(new URL('../programs/kernel-device.js', import.meta.url))
const BARE_LOOP = fileURLToPath(new URL('../programs/bare-exchanges.js', import.meta.url))
/** An io module of the default device. */
const SLOT = 3

/** Overhead of the kernel adapter, compared with the bare system calls. */
export const kernelExchange: Row = {
  name: 'kernel-exchange',
  what: 'exchanges with a module through the kernel adapter, one slot',
  against: 'a bare loop of write and read on the same pseudo-terminal',
  goals: [{ of: 'rate', at: 'least', bound: 0.7, unit: '×' }],
  measure: async ({ clock, effort }) => {
    const payload = encodeRequest(getFirmwareVersion, {})
    const folder = await mkdtemp(join(tmpdir(), 'slotwire-benchmark-'))
    const [sysRoot, devRoot] = [join(folder, 'sys'), join(folder, 'dev')]
    const device = startProgram([DEVICE, folder])
    await device.line()
    const backplane = await createKernelBackplane({ sysRoot, devRoot, clock, log: silentLog, processors: availableParallelism() })
    const link = await backplane.open(SLOT)
    const hex = Buffer.from(payload).toString('hex')
    const bareLoop = startProgram([BARE_LOOP, join(devRoot, `slot${SLOT}`), hex, String(effort.exchangeMs)])
    const adapterRate = (): Promise<number> => rateOf(link, payload, effort.exchangeMs, clock)
    const bareRate = async (): Promise<number> => {
      bareLoop.write('.')
      return Number(await bareLoop.line())
    }
    try {
      await inTurn(1, adapterRate, bareRate)
      const rounds = await inTurn(effort.rounds, adapterRate, bareRate)
      const text = (rate: number): string => `${rate.toFixed(0)} /s`
      return [readingOf(rounds, { value: (rate) => rate, text, figure: (adapter, bare) => adapter / bare })]
    } finally {
      await bareLoop.stop()
      await backplane.close()
      await device.stop()
      await rm(folder, { recursive: true })
    }
  },
}

/** Rate of sequential exchanges, per second. */
async function rateOf(link: SlotLink, payload: Uint8Array, durationMs: number, clock: Clock): Promise<number> {
  const started = clock.now()
  let count = 0
  for (; clock.now() - started < durationMs; count++) await link.exchange(payload)
  return (count / (clock.now() - started)) * 1000
}
