import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { ManualClock } from '@slotwire/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FakeDevice } from '../../../../tests/kernel/kernel-device.testkit.ts'
import { KernelService } from '../../../../tests/kernel/kernel-service.testkit.ts'
import { SlotwireProcess } from '../../../../tests/program/slotwire-process.testkit.ts'
import { describeWith } from '../../../../tools/setup/describe-with.mjs'
import type { Announcement } from '../serve/announcement.ts'
import type { Finding } from './check.ts'
import { runningServiceCheck } from './checks/check-running-service.ts'
import { FakeInstallation } from './fake-installation.testkit.ts'
import { containing } from './matchers.testkit.ts'
import { ANSWER_DEADLINE_MS } from './slotwire-answer.ts'

/** Real programs on a machine that may be busy. */
const SOON = { timeout: 30_000, interval: 50 }
const SUCCESS = { status: 200, body: '{"status":"success"}' }

let device: FakeInstallation
beforeEach(() => {
  device = new FakeInstallation()
})
afterEach(() => device.remove())

const look = (port: number, clock?: ManualClock): Promise<readonly Finding[]> => {
  const roots = { ...device.installation().roots, proc: '/proc' }
  return device.look(runningServiceCheck, { hardware: 'twin', roots, overrides: { loopbackPort: port } }, clock)
}

describe('a service that runs', { timeout: 60_000 }, () => {
  let server: SlotwireProcess
  let url: string
  beforeEach(async () => {
    server = new SlotwireProcess(['serve', '--state', device.state, '--port', '0', '--json', '--log-level', 'silent'])
    url = String((JSON.parse(await server.firstLine()) as Announcement).urls[0])
  })
  afterEach(() => server.remove())

  const port = (): number => Number(new URL(url).port)

  it('is asked how its modules are', async () => {
    await expect
      .poll(() => look(port()), SOON)
      .toEqual([{ outcome: 'ok', name: `service at port ${port()}`, found: 'ready, 4 modules can be used' }])
  })

  it('is no service that runs when it stands still', async () => {
    server.child.kill('SIGSTOP')
    expect(await look(port())).toMatchObject([
      {
        outcome: 'failure',
        name: `service at port ${port()}`,
        found: containing(`does not answer within 2 s: `),
        remedy: containing(`kill -KILL ${server.pid}`),
      },
    ])
  })
})

describeWith('socat', 'a service that runs on a device', (socat) => {
  it('tells which module it cannot use, and why', async () => {
    const modules = await FakeDevice.switchedOn(socat)
    modules.tree.mute.add(3)
    const service = await KernelService.start(modules, device.state)
    try {
      const port = Number(new URL(service.url).port)
      await expect
        .poll(() => look(port), SOON)
        .toMatchObject([
          { outcome: 'ok', name: `service at port ${port}`, found: 'ready, 3 modules can be used' },
          {
            outcome: 'failure',
            name: `slot 3 at port ${port}`,
            found: 'the module could not be started, and is tried again and again',
            remedy: containing('pull the module of slot 3 out and push it in again'),
          },
        ])
    } finally {
      await service.remove()
      await modules.close()
    }
  }, 60_000)
})

describe('what listens at the port', () => {
  const servers: Server[] = []
  afterEach(async () => {
    for (const server of servers.splice(0)) {
      const closed = once(server, 'close')
      server.closeAllConnections()
      server.close()
      await closed
    }
  })

  async function listen(answers: Readonly<Record<string, { readonly status: number; readonly body: string }>>): Promise<number> {
    const server = createServer(({ url = '' }, response) => {
      const answer = answers[url]
      if (answer !== undefined) response.writeHead(answer.status).end(answer.body)
    })
    servers.push(server)
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const address = server.address()
    return typeof address === 'object' ? (address?.port ?? 0) : 0
  }

  it('is nothing', async () => {
    const port = await listen({})
    const [server] = servers.splice(0)
    const closed = once(server as Server, 'close')
    server?.close()
    await closed
    expect(await look(port)).toEqual([{ outcome: 'ok', found: `none answers at port ${port}` }])
  })

  it('is a service that is not ready: it says why', async () => {
    const message = 'the device is restarting: wait'
    const refusal = { status: 502, body: JSON.stringify({ status: 'error', code: 502, message }) }
    const port = await listen({
      '/slotwire/livez': SUCCESS,
      '/slotwire/readyz': refusal,
      '/slotwire/metrics': { status: 200, body: '' },
    })
    expect(await look(port)).toMatchObject([
      { outcome: 'warning', name: `service at port ${port}`, found: `not ready: ${message}`, remedy: containing('Look again') },
    ])
  })

  it.each(['bootloader', 'foreign', 'empty', 'starting'])(
    'is a service with a slot that is %s: nothing failed',
    async (state) => {
      const metrics = `# TYPE slotwire_slot_state gauge\nslotwire_slot_state{slot="4",state="${state}"} 1\nslotwire_slot_state{slot="4",state="failed"} 0\n`
      const port = await listen({
        '/slotwire/livez': SUCCESS,
        '/slotwire/readyz': SUCCESS,
        '/slotwire/metrics': { status: 200, body: metrics },
      })
      expect((await look(port)).map(({ outcome }) => outcome)).not.toContain('failure')
    },
  )

  it('is another program: that is for the check of the port', async () => {
    const port = await listen({ '/slotwire/livez': { status: 200, body: 'hello' } })
    expect(await look(port)).toEqual([{ outcome: 'ok', found: `none answers at port ${port}` }])
  })

  it('is another program that says nothing: it is not waited for longer than two seconds', async () => {
    const port = await listen({})
    const clock = new ManualClock()
    let findings: readonly Finding[] | undefined
    void look(port, clock).then((found) => (findings = found))
    await expect
      .poll(() => clock.advance(ANSWER_DEADLINE_MS).then(() => findings), SOON)
      .toEqual([{ outcome: 'ok', found: `none answers at port ${port}` }])
  })
})
