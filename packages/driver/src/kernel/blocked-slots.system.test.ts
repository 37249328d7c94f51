import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { KernelTree } from '@slotwire/twin/kernel'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { bundleSources } from '../../../../tools/build/bundle-sources.mjs'
import { describeWith } from '../../../../tools/setup/describe-with.mjs'
import { relayDescriptor } from '../slot/fake-module.testkit.ts'

const ALL_SLOTS = [0, 1, 2, 3, 4, 5, 6, 7]
const { core, kernel } = await bundleSources({
  core: 'packages/core/src/index.ts',
  kernel: 'packages/driver/src/kernel/index.ts',
})
/** An exit takes less, also on a busy machine. A call that does not return never ends. */
const AT_ONCE_MS = 5000
/** The fastest of so many rounds counts: another program may take the processor in any of them. */
const ROUNDS = 20
/** Allowed extra time. A thread that waits for a module would wait for 250 ms and more. */
const SLACK_MS = 50

/** Measures, opens every slot, hangs an exchange on each, then obeys commands on standard input. */
const program = (tree: KernelTree): string => `
  import { lookup } from 'node:dns/promises'
  import { readFile } from 'node:fs/promises'
  import { createInterface } from 'node:readline'
  import { createKernelBackplane } from ${JSON.stringify(kernel)}
  import { silentLog, SystemClock } from ${JSON.stringify(core)}
  const clock = new SystemClock()
  const measure = async () => {
    const took = []
    for (let round = 0; round < ${ROUNDS}; round++) {
      const start = clock.now()
      await Promise.all([...Array(8)].map(() => readFile(${JSON.stringify(import.meta.filename)})))
      await lookup('localhost')
      took.push(clock.now() - start)
    }
    return Math.min(...took)
  }
  const before = await measure()
  const roots = ${JSON.stringify({ sysRoot: tree.sysRoot, devRoot: tree.devRoot })}
  const backplane = await createKernelBackplane({ ...roots, clock, log: silentLog })
  const links = await Promise.all(backplane.present().map((slot) => backplane.open(slot)))
  for (const link of links) link.exchange(Uint8Array.of(1, 4, 1)).catch(() => undefined)
  for await (const line of createInterface({ input: process.stdin })) {
    if (line === 'measure') console.log(JSON.stringify([before, await measure()]))
    if (line === 'exit') process.exit(0)
    if (line === 'close') break
  }
  process.stdin.destroy()
  await backplane.close()`

describeWith('socat', 'a process with eight blocked notifications and eight hung exchanges', (socat) => {
  let tree: KernelTree
  let child: ChildProcess
  let closed: number
  beforeEach(async () => {
    tree = new KernelTree(socat)
    closed = 0
    let hung = 0
    const answer = async (): Promise<undefined> => {
      hung++
    }
    const onClosed = async (): Promise<void> => {
      closed++
    }
    await Promise.all(ALL_SLOTS.map((slot) => tree.plug(slot, { descriptor: relayDescriptor, answer, onClosed })))
    const file = join(tree.root, 'program.mjs')
    writeFileSync(file, program(tree))
    child = spawn(process.execPath, [file], { stdio: ['pipe', 'pipe', 'inherit'] })
    await expect.poll(() => hung, { timeout: 15_000 }).toBe(ALL_SLOTS.length)
  })
  afterEach(async () => {
    child.kill('SIGKILL')
    await tree.close()
  })

  const command = (line: string): void => void child.stdin?.write(`${line}\n`)
  const allClosed = (): Promise<void> => expect.poll(() => closed, { timeout: AT_ONCE_MS, interval: 5 }).toBe(ALL_SLOTS.length)

  it('still reads files and resolves names as fast as before', async () => {
    command('measure')
    const [output] = (await once(child.stdout ?? child, 'data')) as [Buffer]
    const [before, now] = JSON.parse(String(output)) as [number, number]
    expect(now).toBeLessThan(before + SLACK_MS)
  })

  it.each(['exit', 'close'])('ends at once and closes every file: %s', async (way) => {
    command(way)
    await expect.poll(() => child.exitCode, { timeout: AT_ONCE_MS, interval: 5 }).toBe(0)
    await allClosed()
  })

  it('leaves no file open when it is killed', async () => {
    child.kill('SIGKILL')
    await allClosed()
  })
})
