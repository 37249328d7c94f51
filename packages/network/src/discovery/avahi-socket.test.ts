import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { ManualClock } from '@slotwire/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import { avahiHostName, avahiRuns } from './avahi.ts'

let folder: string
let path: string
let server: Server
let answer: string
const sockets: Socket[] = []
const asked: string[] = []

beforeEach(async () => {
  folder = temporaryFolder()
  path = join(folder, 'socket')
  asked.length = 0
  server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    socket.on('data', (chunk: Buffer) => {
      asked.push(chunk.toString())
      socket.write(answer)
    })
  })
  server.listen(path)
  await once(server, 'listening')
})
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
  server.close()
})

describe('avahi’s simple protocol', () => {
  it('reports whether avahi runs', async () => {
    answer = '+ Available commands are:\n+      RESOLVE-HOSTNAME <hostname>\n'
    expect(await avahiRuns(path, new ManualClock())).toBe(true)
    expect(await avahiRuns(join(folder, 'nothing'), new ManualClock())).toBe(false)
    expect(await avahiRuns(folder, new ManualClock())).toBe(false)
  })

  it('returns the host name that avahi announces', async () => {
    answer = '+ 2 0 press-5.local\n'
    expect(await avahiHostName(path, '10.77.1.1', new ManualClock())).toBe('press-5')
    expect(asked).toEqual(['RESOLVE-ADDRESS 10.77.1.1\n'])
  })

  it.each(['-15 Timeout reached\n', '+ 2 0 \n', '+\n', 'x'.repeat(5000)])('returns no name for the response %j', async (text) => {
    answer = text
    expect(await avahiHostName(path, '10.77.1.1', new ManualClock())).toBeUndefined()
  })

  it('gives up after 2 s', async () => {
    answer = '+ 2 0'
    const clock = new ManualClock()
    let name: string | undefined = 'none yet'
    const done = avahiHostName(path, '10.77.1.1', clock).then((found) => {
      name = found
    })
    await expect.poll(() => asked).toHaveLength(1)
    await clock.advance(1999)
    expect(name).toBe('none yet')
    await clock.advance(1)
    await done
    expect([name, clock.pending]).toEqual([undefined, 0])
  })
})
