import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { bundleSources } from '../../../../tools/build/bundle-sources.mjs'
import { stateWith } from './backup.testkit.ts'
import { collectState } from './backup.ts'

const { storage } = await bundleSources({ storage: 'packages/storage/src/index.ts' })
const SNAPSHOTS = 100
/** Pause of the writer: two readings must fit into it, on a busy machine too. */
const PAUSE_MS = 100
/** Files between the first and the last: reading them takes as long as writing those two. */
const BETWEEN = Object.fromEntries(Array.from({ length: 8 }, (_, slot) => [`twin/slot-${slot}.json`, 'x'.repeat(1_000_000)]))

/** Writes the next number to the first file, then to the last, and pauses. */
const writer = (folder: string): string => `
  const { DurableFile } = await import(${JSON.stringify(storage)})
  const [first, last] = ['settings.yaml', 'tls/imported.pem'].map((name) => new DurableFile(${JSON.stringify(`${folder}/`)} + name))
  const pause = new Int32Array(new SharedArrayBuffer(4))
  for (let number = 1; ; number++) {
    first.write(String(number))
    last.write(String(number))
    if (number === 1) process.stdout.write('.')
    Atomics.wait(pause, 0, 0, ${PAUSE_MS})
  }`

it('collectState returns the state of one moment while a service writes', { timeout: 60_000 }, async () => {
  const folder = stateWith({ ...BETWEEN, 'settings.yaml': '0', 'tls/imported.pem': '0' })
  const child = spawn(process.execPath, ['--input-type=module', '-e', writer(folder)], { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    await once(child.stdout, 'data')
    const seen = new Set<number>()
    for (let snapshot = 0; snapshot < SNAPSHOTS; snapshot++) {
      const files = collectState(folder, true)
      const [first = 0, last = 0] = ['settings.yaml', 'tls/imported.pem'].map((path) => Number(files[path]))
      expect([last, last + 1]).toContain(first)
      seen.add(first)
    }
    expect(seen.size).toBeGreaterThan(10)
  } finally {
    child.kill('SIGKILL')
    await once(child, 'close')
  }
})
