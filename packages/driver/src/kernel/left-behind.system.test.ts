import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { KernelTree } from '@slotwire/twin/kernel'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { bundleSources } from '../../../../tools/build/bundle-sources.mjs'
import { describeWith } from '../../../../tools/setup/describe-with.mjs'
import { relayDescriptor } from '../slot/fake-module.testkit.ts'
import { ScriptedKernel } from './kernel-backplane.testkit.ts'
import { MAX_SLOTS_CLOSE_MS } from './kernel-backplane.ts'
import { plug } from './scripted-files.testkit.ts'

const { core, kernel: adapter } = await bundleSources({
  core: 'packages/core/src/index.ts',
  kernel: 'packages/driver/src/kernel/index.ts',
})
/** Both limits, plus a margin for a busy machine. */
const ENDED_MS = 15_000

/**
 * Opens slot 3, hangs an exchange on it, and ends. It can kill none of its child processes, as if each were in a system call that cannot
 * be interrupted. The reader is stopped, too: it would kill the other one when this process ends.
 */
const program = (tree: KernelTree): string => `
  import { ChildProcess } from 'node:child_process'
  import { createKernelBackplane } from ${JSON.stringify(adapter)}
  import { silentLog, SystemClock } from ${JSON.stringify(core)}
  ChildProcess.prototype.kill = function () {
    console.log(this.pid)
    process.kill(this.pid, 'SIGSTOP')
    return true
  }
  const roots = ${JSON.stringify({ sysRoot: tree.sysRoot, devRoot: tree.devRoot })}
  const log = { ...silentLog, error: (fields, message) => console.log(JSON.stringify([message, fields.pids])) }
  const backplane = await createKernelBackplane({ ...roots, clock: new SystemClock(), log })
  const link = await backplane.open(3)
  link.exchange(Uint8Array.of(1, 4, 1)).catch(() => undefined)
  process.on('message', async () => {
    process.disconnect()
    await backplane.close()
  })`

it('close does not wait longer than its limit for a slot that cannot be closed', async () => {
  const kernel = new ScriptedKernel()
  plug(kernel.files, 3)
  const never = (): Promise<never> => new Promise(() => undefined)
  kernel.files.open = async () => ({ exchange: never, close: never, kill: never })
  await kernel.start()
  await kernel.backplane.open(3)
  let closed = false
  const closing = kernel.backplane.close().then(() => {
    closed = true
  })
  await kernel.clock.advance(MAX_SLOTS_CLOSE_MS - 1)
  expect(closed).toBe(false)
  await kernel.clock.advance(1)
  await closing
})

describeWith('socat', 'processes that cannot be killed', (socat) => {
  let tree: KernelTree
  let child: ChildProcess
  let output = ''
  let asked = false
  beforeEach(async () => {
    tree = new KernelTree(socat)
    const answer = async (): Promise<undefined> => {
      asked = true
    }
    await tree.plug(3, { descriptor: relayDescriptor, answer })
    const file = join(tree.root, 'program.mjs')
    writeFileSync(file, program(tree))
    child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    await expect.poll(() => asked, { timeout: ENDED_MS }).toBe(true)
  })
  afterEach(async () => {
    child.kill('SIGKILL')
    for (const pid of stopped()) process.kill(pid, 'SIGKILL')
    await tree.close()
  })

  /** The processes that the program tried to kill. */
  const stopped = (): ReadonlySet<number> =>
    new Set(
      output
        .split('\n')
        .filter((line) => /^\d+$/.test(line))
        .map(Number),
    )

  it('are left behind and named, and do not keep this process from ending', async () => {
    child.send('close')
    await expect.poll(() => child.exitCode, { timeout: ENDED_MS }).toBe(0)
    const [message, pids] = JSON.parse(output.split('\n').at(-2) ?? '') as [string, readonly number[]]
    expect(message).toBe('processes that wait for the kernel driver cannot be killed and are left running')
    expect(new Set(pids)).toEqual(stopped())
    expect(pids.length).toBe(2)
  })
})
