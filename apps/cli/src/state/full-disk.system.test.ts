import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { SlotwireProcess } from '../../../../tests/program/slotwire-process.testkit.ts'
import { describeWith } from '../../../../tools/setup/describe-with.mjs'

/** A file system of 64 KiB with a number of free pages, visible only to the process. It ends with the process. */
const SMALL =
  'mount -t tmpfs -o size=64k slotwire "$1" && mkdir "$1/state" && head -c $((65536 - $2 * 4096)) /dev/zero > "$1/fill" && shift 2 && exec "$@"'

describeWith('namespaces', 'slotwire on a full disk', (unshare) => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'slotwire-full-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  it.each([
    ['kernel', 0],
    ['twin', 0],
    ['twin', 1],
  ])('serve --hardware %s prints one line with %i free pages, and ends with 2', async (hardware, pages) => {
    const state = join(folder, 'state')
    const startedBy = [unshare, '--mount', 'sh', '-c', SMALL, 'sh', folder, String(pages)]
    const served = new SlotwireProcess(['serve', '--hardware', hardware, '--state', state, '--port', '0'], { startedBy })
    expect(await served.ended).toEqual({
      code: 2,
      output: '',
      errors: expect.stringMatching(
        /^slotwire: the state folder .* cannot be written \(ENOSPC: .*\): free some space there, or choose another with --state <dir>\n$/,
      ) as string,
    })
  })
})
