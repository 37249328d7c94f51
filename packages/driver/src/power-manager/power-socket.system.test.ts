import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { lstatSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import { describeWith } from '../../../../tools/setup/describe-with.mjs'
import { openPowerSocket } from './power-socket.ts'

describeWith('socat', 'openPowerSocket', (socat) => {
  it('keeps a datagram socket in its place and rejects, because a program may use it', async () => {
    const folder = temporaryFolder()
    const path = join(folder, 'power-mgmt.socket')
    const other = spawn(socat, ['-u', `UNIX-RECV:${path}`, '-'], { stdio: 'ignore' })
    try {
      await expect.poll(() => lstatSync(path, { throwIfNoEntry: false })?.isSocket(), { timeout: 5000 }).toBe(true)
      const { ino } = lstatSync(path)
      await expect(openPowerSocket(createServer(), path, 0o660)).rejects.toThrow('EPROTOTYPE')
      expect(lstatSync(path).ino).toBe(ino)
    } finally {
      other.kill()
      await once(other, 'close')
    }
  })
})
