import { afterEach, beforeEach, expect, it } from 'vitest'
import { ScriptedKernel } from './kernel-backplane.testkit.ts'
import { ChildEnded } from './kernel-files.ts'
import { plug } from './scripted-files.testkit.ts'
import { READER_TIMEOUT_MS, SCAN_INTERVAL_MS, SCAN_LIMIT_MS } from './slot-folders.ts'

let kernel: ScriptedKernel
beforeEach(async () => {
  kernel = new ScriptedKernel()
  plug(kernel.files, 3)
  await kernel.start()
})
afterEach(async () => expect(await kernel.close()).toBe(0))

const afterLimit = (): Promise<void> => kernel.clock.advance(SCAN_LIMIT_MS + 2 * SCAN_INTERVAL_MS)

it('the adapter makes progress while it scans the slots', async () => {
  await afterLimit()
  kernel.files.remove('/sys/class/sdbp')
  await afterLimit()
  expect(kernel.backplane.stuck()).toBeUndefined()
})

it('the adapter is stuck while a scan does not end', async () => {
  let end: (names: readonly string[]) => void = () => undefined
  kernel.files.list = () => new Promise((resolve) => (end = resolve))
  await kernel.clock.advance(SCAN_LIMIT_MS)
  expect(kernel.backplane.stuck()).toBeUndefined()
  await kernel.clock.advance(2 * SCAN_INTERVAL_MS)
  expect(kernel.backplane.stuck()).toBe('the slots have not been listed for 10 s')
  end(['slot3'])
  await kernel.clock.advance(0)
  expect(kernel.backplane.stuck()).toBeUndefined()
})

it('a reader process that does not answer is replaced, repeatedly if necessary, with one log line', async () => {
  let end: (names: readonly string[]) => void = () => undefined
  const { files, clock, log } = kernel
  const replaced = (): number => files.calls.filter((call) => call === 'replace reader').length
  files.list = () => new Promise((resolve) => (end = resolve))
  await clock.advance(SCAN_INTERVAL_MS + READER_TIMEOUT_MS - 1)
  expect(replaced()).toBe(0)
  await clock.advance(1)
  expect(replaced()).toBe(1)
  await clock.advance(2 * READER_TIMEOUT_MS)
  expect(replaced()).toBe(3)
  expect(log.linesOf('warn').map(({ message }) => message)).toEqual([
    'the process that lists the slots does not answer: replacing it',
  ])
  end(['slot3'])
  await clock.advance(SCAN_INTERVAL_MS + READER_TIMEOUT_MS)
  expect(replaced()).toBe(4)
  expect(log.linesOf('warn')).toHaveLength(2)
})

it('the adapter is stuck without a reader process', async () => {
  kernel.files.list = () => Promise.reject(new ChildEnded('killed'))
  await afterLimit()
  expect(kernel.backplane.stuck()).toBe('the slots have not been listed for 10 s')
})

it('the adapter is not stuck when the kernel refuses to list the slots: a restart would not help', async () => {
  kernel.files.fail('scandir', '/sys/class/sdbp', 13, Number.POSITIVE_INFINITY)
  await afterLimit()
  expect(kernel.backplane.stuck()).toBeUndefined()
})
