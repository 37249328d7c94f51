import { availableParallelism } from 'node:os'
import { SystemClock } from '@slotwire/core'
import { Pty } from '@slotwire/twin/kernel'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { describeWith } from '../../../../tools/setup/describe-with.mjs'
import { ChildEnded, type SlotFile } from './kernel-files.ts'
import { SystemFiles } from './system-files.ts'

const never = new AbortController().signal

describeWith('socat', 'a process that has closed one file and opened the next', (socat) => {
  let files: SystemFiles
  beforeEach(() => {
    files = new SystemFiles({ clock: new SystemClock(), processors: availableParallelism() })
  })
  afterEach(() => files.close())

  /** Opens a file with an echo at its far end. */
  async function open(): Promise<{ readonly file: SlotFile; readonly heard: string[]; readonly pty: Pty }> {
    const pty = await Pty.open(socat)
    const heard: string[] = []
    pty.onPayload = (payload) => {
      heard.push(payload.toString('hex'))
      pty.send(payload)
    }
    const file = await files.open(pty.file, '', never)
    // Send something: otherwise the pseudo-terminal may not notice that the file was opened and closed.
    await file.exchange(Uint8Array.of(0))
    heard.length = 0
    return { file, heard, pty }
  }

  it('ignores calls on the earlier file: it sends nothing, and is neither closed nor killed', async () => {
    const before = await open()
    const { pids } = files
    await Promise.all([before.file.close(), before.pty.closed])
    const next = await open()
    expect(files.pids).toEqual(pids)
    await expect(before.file.exchange(Uint8Array.of(9))).rejects.toBeInstanceOf(ChildEnded)
    await before.file.close()
    await before.file.kill()
    expect(await next.file.exchange(Uint8Array.of(1))).toEqual(Uint8Array.of(1))
    expect(next.heard).toEqual(['01'])
    expect(files.pids).toEqual(pids)
  })

  it('is never the one that was killed while it closed', async () => {
    const before = await open()
    const { pids } = files
    await Promise.all([before.file.close(), before.file.kill(), before.pty.closed])
    const next = await open()
    expect(files.pids.at(-1)).not.toBe(pids.at(-1))
    expect(await next.file.exchange(Uint8Array.of(1))).toEqual(Uint8Array.of(1))
  })
})
