import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, lstatSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { SystemClock, silentLog } from '@slotwire/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import { createPowerManagerClient } from './power-manager-client.ts'
import { type PowerManagerServer, servePowerManager } from './power-manager-server.ts'

const nothing = { power3v3: 0, power5v0: 0, power12v: 0 }
const clock = new SystemClock()
/** A daemon that listens until it is killed. */
const listens = (at: string) => `require('node:net').createServer().listen(${at}, () => console.log('listening'))`

let folder: string
let socket: string
let servers: PowerManagerServer[]

beforeEach(() => {
  folder = temporaryFolder()
  socket = join(folder, 'power-mgmt.socket')
  servers = []
})

afterEach(() => Promise.all(servers.map((server) => server.close())))

async function serve(path = socket): Promise<PowerManagerServer> {
  const manager = { request: async () => ({ granted: true, missing: nothing }), done: async () => undefined }
  const server = await servePowerManager({ socket: path, manager, clock, log: silentLog })
  servers.push(server)
  return server
}

const messageOf = (path: string): Promise<string> =>
  serve(path).then(String, (error: unknown) => (error instanceof Error ? error.message : String(error)))
const grantedAt = async (path: string): Promise<boolean> =>
  (await createPowerManagerClient({ socket: path, clock }).request(3, nothing)).granted

async function daemon(at = 'process.argv[1]'): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['-e', listens(at), socket], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  return child
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL')
  await once(child, 'exit')
}

describe('the socket of a power manager', () => {
  it('belongs to its owner and the group, and leaves no other file in its folder', async () => {
    await serve()
    expect(lstatSync(socket).mode & 0o777).toBe(0o660)
    expect(lstatSync(socket).isSocket()).toBe(true)
    expect(readdirSync(folder)).toEqual(['power-mgmt.socket'])
    expect(await grantedAt(socket)).toBe(true)
  })

  it('is removed at the end', async () => {
    await (await serve()).close()
    expect(readdirSync(folder)).toEqual([])
  })

  it('replaces the socket of a daemon that was killed', async () => {
    await kill(await daemon())
    expect(existsSync(socket)).toBe(true)
    await serve()
    expect(await grantedAt(socket)).toBe(true)
  })

  it('does not replace a socket that another daemon listens at', async () => {
    const child = await daemon()
    const { ino } = lstatSync(socket)
    expect(await messageOf(socket)).toBe(`a power manager listens at ${socket} already: stop that one, or choose another path`)
    expect(lstatSync(socket).ino).toBe(ino)
    expect(readdirSync(folder)).toEqual(['power-mgmt.socket'])
    await kill(child)
  })

  it('does not replace a socket whose daemon hangs, with its queue of connections full', async () => {
    const child = await daemon('{ path: process.argv[1], backlog: 1 }')
    child.kill('SIGSTOP')
    const waiting = [connect(socket), connect(socket)]
    await Promise.all(waiting.map((one) => once(one, 'connect')))
    expect(await messageOf(socket)).toContain('listens at')
    for (const one of waiting) one.destroy()
    await kill(child)
  })

  it('goes to one daemon when many start at once', async () => {
    await kill(await daemon())
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => messageOf(socket)))
    expect(outcomes.filter((outcome) => outcome.includes('listens at'))).toHaveLength(7)
    expect(await grantedAt(socket)).toBe(true)
  })

  it('is not removed if another daemon has replaced it since', async () => {
    const first = await serve()
    rmSync(socket)
    await serve()
    await first.close()
    expect(await grantedAt(socket)).toBe(true)
  })

  it('replaces only sockets', async () => {
    writeFileSync(socket, 'precious')
    expect(await messageOf(socket)).toBe(`${socket} exists and is not a socket: remove it, or choose another path`)
    expect(readdirSync(folder)).toEqual(['power-mgmt.socket'])
  })

  it('needs its folder', async () => {
    const missing = join(folder, 'none')
    expect(await messageOf(join(missing, 's'))).toBe(
      `the folder ${missing} is missing: create it (systemd does with RuntimeDirectory=), or choose another path`,
    )
    writeFileSync(join(folder, 'file'), '')
    expect(await messageOf(join(folder, 'file', 's'))).toBe(`${join(folder, 'file')} is not a folder: choose another path`)
  })

  it('has a path of at most 107 bytes', async () => {
    const long = join(folder, 'x'.repeat(107 - Buffer.byteLength(folder) - 1))
    await serve(long)
    expect(await grantedAt(long)).toBe(true)
    expect(await messageOf(`${long}x`)).toBe(
      `the path ${long}x is too long for a socket, at most 107 bytes: choose a shorter one`,
    )
    for (const bytes of [95, 100, 107]) {
      const deep = join(folder, 'y'.repeat(bytes - Buffer.byteLength(folder) - 3))
      mkdirSync(deep)
      await serve(join(deep, 's'))
      expect(await grantedAt(join(deep, 's'))).toBe(true)
      expect(readdirSync(deep)).toEqual(['s'])
    }
  })

  it('leaves no descriptor open', async () => {
    const descriptors = () => readdirSync('/proc/self/fd').length
    await (await serve()).close()
    const before = descriptors()
    for (let round = 0; round < 5; round++) await (await serve()).close()
    writeFileSync(socket, '')
    for (let round = 0; round < 5; round++) await messageOf(socket)
    await expect.poll(descriptors).toBeLessThanOrEqual(before)
  })
})

it('leaves nothing open when the server cannot listen', async () => {
  const other = createServer().listen(socket)
  await once(other, 'listening')
  await messageOf(socket)
  expect(readdirSync(folder)).toEqual(['power-mgmt.socket'])
  await new Promise((resolve) => other.close(resolve))
  await serve()
})
