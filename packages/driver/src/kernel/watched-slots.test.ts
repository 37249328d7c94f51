import { afterEach, beforeEach, expect, it } from 'vitest'
import { ScriptedKernel } from './kernel-backplane.testkit.ts'
import { ChildEnded, type KernelFiles } from './kernel-files.ts'
import { plug } from './scripted-files.testkit.ts'
import { MAX_SCAN_MS, READER_TIMEOUT_MS, SCAN_INTERVAL_MS } from './slot-folders.ts'

/** A kernel whose reader looks at the slots; the test answers. */
async function watchedKernel() {
  const kernel = new ScriptedKernel()
  plug(kernel.files, 3)
  const asked: {
    readonly files: readonly string[]
    readonly resolve: (seen: string) => void
    readonly reject: (error: Error) => void
  }[] = []
  let reads = 0
  const read = kernel.files.read.bind(kernel.files)
  const list = kernel.files.list.bind(kernel.files)
  const watch: KernelFiles['watch'] = (_folder, files) => new Promise((resolve, reject) => asked.push({ files, resolve, reject }))
  Object.assign(kernel.files, {
    watch,
    read: (files: readonly string[]) => {
      reads++
      return read(files)
    },
    list: (folder: string) => {
      reads++
      return list(folder)
    },
  })
  await kernel.start()
  const answer = async (seen: string | Error): Promise<void> => {
    const last = asked.at(-1)
    if (seen instanceof Error) last?.reject(seen)
    else last?.resolve(seen)
    await kernel.clock.advance(0)
  }
  await answer('first')
  return {
    kernel,
    asked,
    answer,
    readsIn: async (ms: number): Promise<number> => {
      const before = reads
      await kernel.clock.advance(ms)
      return reads - before
    },
  }
}

it('nothing is read while the reader sees no change', async () => {
  const { kernel, answer, readsIn } = await watchedKernel()
  expect(await readsIn(1000)).toBe(0)
  await answer('first')
  expect(await readsIn(1000)).toBe(0)
  plug(kernel.files, 5)
  await answer('second')
  expect(kernel.events.at(-1)).toBe('arrived 5')
  await kernel.close()
})

it.each(['does not answer', 'has ended'])('the slots are scanned as without it while the reader %s', async (what) => {
  const { kernel, answer, readsIn } = await watchedKernel()
  if (what === 'has ended') await answer(new ChildEnded('ended'))
  else await kernel.clock.advance(1500)
  expect(await readsIn(1000)).toBeGreaterThanOrEqual(1000 / SCAN_INTERVAL_MS)
  plug(kernel.files, 5)
  await kernel.clock.advance(SCAN_INTERVAL_MS)
  expect(kernel.events.at(-1)).toBe('arrived 5')
  await kernel.close()
})

it('a descriptor is read once while its files are unchanged, and again after a change; not that of a driven module', async () => {
  const { kernel, asked, answer, readsIn } = await watchedKernel()
  const read = (): Promise<number> => {
    const count = readsIn(0)
    void kernel.backplane.descriptor(3)
    return count
  }
  expect(await read()).toBe(1)
  await answer('first')
  expect(asked.at(-1)?.files).toContain('/sys/class/sdbp/slot3/fw_version')
  expect([await read(), await read()]).toEqual([1, 0])
  await answer('changed')
  expect([await read(), await read()]).toEqual([1, 0])
  kernel.files.slots.set('/dev/slot3', async (payload) => payload)
  await kernel.backplane.open(3)
  expect([await read(), await read()]).toEqual([1, 1])
  await answer('changed')
  expect(asked.at(-1)?.files).toEqual([])
  await kernel.close()
})

let kernel: ScriptedKernel
beforeEach(async () => {
  kernel = new ScriptedKernel()
  plug(kernel.files, 3)
  await kernel.start()
})
afterEach(async () => expect(await kernel.close()).toBe(0))

const afterLimit = (): Promise<void> => kernel.clock.advance(MAX_SCAN_MS + 2 * SCAN_INTERVAL_MS)

it('the adapter makes progress while it scans the slots', async () => {
  await afterLimit()
  kernel.files.remove('/sys/class/sdbp')
  await afterLimit()
  expect(kernel.backplane.stuck()).toBeUndefined()
})

it('the adapter is stuck while a scan does not end', async () => {
  let end: (names: readonly string[]) => void = () => undefined
  kernel.files.list = () => new Promise((resolve) => (end = resolve))
  await kernel.clock.advance(MAX_SCAN_MS)
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
