import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Clock, type SlotLink, silentLog } from '@slotwire/core'
import { createKernelBackplane } from '@slotwire/driver/kernel'
import { startLineProgram } from './line-program.ts'

const PROGRAM = fileURLToPath(new URL('programs/kernel-device.js', import.meta.url))

/** The kernel adapter in this process, on pseudo-terminals with modules behind them in others. */
export interface KernelDevice {
  /** One for each slot. */
  readonly links: readonly SlotLink[]
  /** Where the slots' files are. */
  readonly devRoot: string
  close(): Promise<void>
}

/** With one virtual io module; `slow`: with so many modules that take so long to answer. */
export async function startKernelDevice(
  clock: Clock,
  slow?: { readonly slots: number; readonly answerMs: number },
): Promise<KernelDevice> {
  const folder = await mkdtemp(join(tmpdir(), 'slotwire-benchmark-'))
  const modules = startLineProgram([PROGRAM, folder, ...(slow === undefined ? [] : [String(slow.slots), String(slow.answerMs)])])
  await modules.line()
  const [sysRoot, devRoot] = [join(folder, 'sys'), join(folder, 'dev')]
  const backplane = await createKernelBackplane({ sysRoot, devRoot, clock, log: silentLog, processors: availableParallelism() })
  return {
    links: await Promise.all(backplane.present().map((slot) => backplane.open(slot))),
    devRoot,
    close: async () => {
      await backplane.close()
      await modules.stop()
      await rm(folder, { recursive: true })
    },
  }
}

/** Exchanges per second of slots that are asked side by side, each again as soon as it has answered. */
export async function exchangeRate(
  links: readonly SlotLink[],
  of: { clock: Clock; payload: Uint8Array; durationMs: number },
): Promise<number> {
  const { clock, payload, durationMs } = of
  const started = clock.now()
  let count = 0
  await Promise.all(
    links.map(async (link) => {
      for (; clock.now() - started < durationMs; count++) await link.exchange(payload)
    }),
  )
  return (count / (clock.now() - started)) * 1000
}
