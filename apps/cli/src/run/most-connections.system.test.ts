import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type Announcement, SlotwireProcess } from '../../../../tests/program/slotwire-process.testkit.ts'

const DESCRIPTORS = 400
const CONNECTIONS = 600

async function serve(state: string) {
  const startedBy = ['/bin/sh', '-c', `ulimit -n ${DESCRIPTORS}; exec "$0" "$@"`]
  const run = new SlotwireProcess(['serve', '--json', '--port', '0', '--state', state, '--log-level', 'error'], { startedBy })
  const { urls } = JSON.parse(await run.firstLine()) as Announcement
  return { run, url: urls[0] as string }
}

it('a service whose every connection is in use still stores what is saved, and keeps it', async () => {
  const state = mkdtempSync(join(tmpdir(), 'slotwire descriptors '))
  const { run, url } = await serve(state)
  const sockets: Socket[] = []
  try {
    const base = `${url}/api/bmc/1.0/0/watchdog`
    const save = async (timeout: number): Promise<unknown> => {
      const headers = { 'content-type': 'application/json' }
      return (await fetch(`${base}/sw_shutdown_timeout`, { method: 'POST', headers, body: JSON.stringify({ timeout }) })).json()
    }
    expect(await save(12_345)).toEqual({ status: 'success' })
    for (let count = 0; count < CONNECTIONS; count++) {
      const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined)
      sockets.push(socket)
      await once(socket, 'connect')
    }
    // The connection of `fetch` was there before all of them.
    expect(await save(23_456)).toEqual({ status: 'success' })
  } finally {
    for (const socket of sockets) socket.destroy()
    await run.remove()
  }
  const again = await serve(state)
  try {
    const watchdog = await (await fetch(`${again.url}/api/bmc/1.0/0/watchdog`)).json()
    expect(watchdog).toMatchObject({ shutdown_timeout: 23_456, emergency_mode: false })
  } finally {
    await again.run.remove()
    rmSync(state, { recursive: true })
  }
})
