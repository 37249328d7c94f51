import { afterEach, beforeEach, expect, it } from 'vitest'
import { ScriptedKernel } from './kernel-backplane.testkit.ts'
import { ChildEnded } from './kernel-files.ts'
import { plug } from './scripted-files.testkit.ts'
import { LOOK_LIMIT_MS, READER_PATIENCE_MS, SCAN_INTERVAL_MS } from './slot-folders.ts'

let kernel: ScriptedKernel
beforeEach(async () => {
  kernel = new ScriptedKernel()
  plug(kernel.files, 3)
  await kernel.start()
})
afterEach(async () => expect(await kernel.close()).toBe(0))

const afterLimit = (): Promise<void> => kernel.clock.advance(LOOK_LIMIT_MS + 2 * SCAN_INTERVAL_MS)

it('the adapter makes progress while it looks at the slots', async () => {
  await afterLimit()
  kernel.files.remove('/sys/class/sdbp')
  await afterLimit()
  expect(kernel.backplane.stuck()).toBeUndefined()
})

it('a look that does not end is a stuck adapter, until it ends', async () => {
  let end: (names: readonly string[]) => void = () => undefined
  kernel.files.list = () => new Promise((resolve) => (end = resolve))
  await kernel.clock.advance(LOOK_LIMIT_MS)
  expect(kernel.backplane.stuck()).toBeUndefined()
  await kernel.clock.advance(2 * SCAN_INTERVAL_MS)
  expect(kernel.backplane.stuck()).toBe('the slots have not been looked at for 10 s')
  end(['slot3'])
  await kernel.clock.advance(0)
  expect(kernel.backplane.stuck()).toBeUndefined()
})

it('a process that looks and does not answer is replaced, again and again if need be, which is said once', async () => {
  let end: (names: readonly string[]) => void = () => undefined
  const { files, clock, log } = kernel
  const replaced = (): number => files.calls.filter((call) => call === 'replace reader').length
  files.list = () => new Promise((resolve) => (end = resolve))
  await clock.advance(SCAN_INTERVAL_MS + READER_PATIENCE_MS - 1)
  expect(replaced()).toBe(0)
  await clock.advance(1)
  expect(replaced()).toBe(1)
  await clock.advance(2 * READER_PATIENCE_MS)
  expect(replaced()).toBe(3)
  expect(log.at('warn').map(({ message }) => message)).toEqual([
    'the process that looks at the slots does not answer: it is killed, and another started',
  ])
  end(['slot3'])
  await clock.advance(SCAN_INTERVAL_MS + READER_PATIENCE_MS)
  expect(replaced()).toBe(4)
  expect(log.at('warn')).toHaveLength(2)
})

it('an adapter without a process that looks is stuck', async () => {
  kernel.files.list = () => Promise.reject(new ChildEnded('killed'))
  await afterLimit()
  expect(kernel.backplane.stuck()).toBe('the slots have not been looked at for 10 s')
})

it('a kernel that refuses to show the slots is not: a new start would not help', async () => {
  kernel.files.fail('scandir', '/sys/class/sdbp', 13, Number.POSITIVE_INFINITY)
  await afterLimit()
  expect(kernel.backplane.stuck()).toBeUndefined()
})
