import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { SystemClock, silentLog } from '@slotwire/core'
import type { PowerDecision } from '@slotwire/driver'
import { powerManagerErrors, servePowerManager } from '@slotwire/driver/power-manager'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Circumstances, FakeMachine, type Files, held, IO, itFinds, like, STRANGER } from './doctor.testkit.ts'
import * as checks from './hardware-checks.ts'

const ONLY_POWER = { service: { services: ['power'] } }

describe('checkKernelModule', () => {
  const VERSION = 'sys/module/sdbpk/version'
  const ORIGINAL =
    'enough for Slotwire, but the original services need 1.3.0 → Install sdbpk 1.3.0 or a later 1.x before you return to them.'

  itFinds(checks.checkKernelModule, [
    ['ok: sdbpk 1.3.1'],
    [`warning: sdbpk 1.2.9: ${ORIGINAL}`, { [VERSION]: '1.2.9\n' }],
    ['failure: sdbpk is not loaded → …modprobe sdbpk && echo sdbpk >/etc/modules-load.d/sdbpk.conf.', { 'sys/module': null }],
    ['failure: …sdbpk 1.0.9 is not supported… → Install sdbpk 1.1.0 or a later 1.x, …modprobe sdbpk.', { [VERSION]: '1.0.9\n' }],
    ['failure: …sdbpk 2.0.0 is not supported… → Install sdbpk 1.1.0 or a later 1.x, …', { [VERSION]: '2.0.0\n' }],
    [`failure: …/${VERSION} cannot be examined (ENOENT) → Examine it as root: stat …`, { [VERSION]: null }],
    ['failure: …systemd lets no service open a slot → Load the kernel driver again…modprobe…', { 'proc/devices': '1 mem\n' }],
  ])
})

describe('checkModules', () => {
  const IDENTITY = `${IO}, IO module, serial 0000-0000-0000-0000-0000-0000-0000-0003, firmware 1.2.3 (S)`
  const UPDATE = 'Finish its firmware update. If no update runs, pull the module out and push it in again.'
  const FIRMWARE = 'Install other firmware with the maker’s program, or ask the maker.'
  const AGAIN = 'Run this again in a few seconds. If the failure stays, pull the module out of slot 3 and push it in again…'

  itFinds(checks.checkModules, [
    [`ok slot 3: ${IDENTITY}`, { slot3: {} }],
    [`warning slot 3: ${IDENTITY}: in bootloader mode, so not served… → ${UPDATE}`, { slot3: { bootloader_state: '2' } }],
    [
      `failure slot 3: ${IDENTITY}: protocol_version 2.0.0 is not supported: major versions below 2 are → ${FIRMWARE}`,
      { slot3: { protocol_version: '00002.00000.00000' } },
    ],
    [
      `failure slot 3: ${IDENTITY}: max_sclk_speed 15999 is out of range: at least 16000 kHz → ${FIRMWARE}`,
      { slot3: { max_sclk_speed: '15999' } },
    ],
    [`warning slot 0: …unknown type → It is not served. Known types: …${IO}…`, { slot0: { vendor_product_id: 'a.org/relay' } }],
    [`failure slot 3: ${IO}: … → ${AGAIN}`, { slot3: { serial_code: 'rubbish' } }],
    [`failure slot 3: ${IO}: ENOENT…slot3/hw_version… → ${AGAIN}`, { slot3: { hw_version: null } }],
    [`ok slot 3: ${IDENTITY}: ignored, because only power run here`, { slot3: {} }, ONLY_POWER],
    ['warning: no module is in any slot → Push the modules in until they click, then: dmesg | grep -i sdbp.'],
    ['failure: ~/sys/class/sdbp does not exist: the kernel offers no slots → Load the kernel…', { 'sys/class': null }],
  ])

  it('accepts a module whose attribute is longer than a page, and shows one page of it', async () => {
    const machine = new FakeMachine()
    machine.set({ slot0: { product_name: 'A'.repeat(100_000) } })
    const [line = ''] = await machine.reported(checks.checkModules)
    expect([line, line.length < 5000]).toEqual([expect.stringMatching(/^ok slot 0: /), true])
  })
})

describe('checkSlotAccess', () => {
  const stranger = { user: STRANGER }
  const NOTIFICATION = 'sys/class/sdbp/slot3/notification'

  itFinds(checks.checkSlotAccess, [
    ['ok: stranger may use every slot', { slot3: {} }, stranger],
    ['ok: no slot holds a module of these services', { slot3: {}, 'dev/slot3': null }, ONLY_POWER],
    [
      'failure slot 3 access: ~/dev/slot3 cannot be examined (ENOENT) → …stat ~/dev/slot3.',
      { slot3: {}, 'dev/slot3': null },
      stranger,
    ],
    [
      'failure slot 3 access: stranger may not enter ~/dev → Let the user in: chmod a+x ~/dev.',
      { slot3: {}, dev: 0o700 },
      stranger,
    ],
    [
      `failure slot 3 access: stranger may not use ~/${NOTIFICATION} (mode 0600, …) → …chown stranger ~/${NOTIFICATION} && chmod u+rw …`,
      { slot3: { notification: 0o600 } },
      stranger,
    ],
  ])
})

describe('checkSlotHolders', () => {
  const other = (unit: string, look: string): string =>
    `failure slot 3 in use: by another program, but only one can use it: socat (process 4711${unit}) → Identify it and stop it where it was started: ${look}.`
  const ours = { service: { pid: 4710 } }
  const STATUS = 'systemctl status 4711'
  const inGroup = (cgroup: string): Files => held(3, 4711, { cgroup })

  itFinds(checks.checkSlotHolders, [
    ['ok: by no process', { slot3: {} }],
    ['ok: by no process that this user may examine; run this as root to see all', { slot3: {}, 'proc/4712/comm': 'hidden' }],
    [other(' of ssh.service', STATUS), inGroup('0::/system.slice/ssh.service')],
    [other(' of getty@tty1.service', STATUS), inGroup('0::/system.slice/system-getty.slice/getty@tty1.service')],
    [other(' of containerd.service', STATUS), inGroup('0::/system.slice/containerd.service/kubepods/pod4')],
    [other(' of a.scope', STATUS), inGroup('0::/machine.slice/a.scope/payload/system.slice/io.service')],
    [other(' of io.service', STATUS), inGroup('9:devices:/some.service\n1:name=systemd:/system.slice/io.service\n0::/')],
    [other('', 'ps -f -p 4711'), inGroup('0::/../../system.slice/ssh.service')],
    ['ok slot 3 in use: by the running service: socat…', held(3, 4710), ours],
    ['ok slot 3 in use: by the running service: socat…', held(3, 4711, { parent: 4710 }), ours],
    ['ok slot 3 in use: by the running service: …', inGroup('0::/system.slice/slotwire-io.service'), ours],
    ['ok slot 3 in use: not ours, used by socat…', held(3, 4711), ONLY_POWER],
  ])
})

describe('checkPowerManager', () => {
  const NONE = { power3v3: 0, power5v0: 0, power12v: 0 }
  const DENIED = { granted: false, missing: { ...NONE, power3v3: 1 } }
  const NO_LIMITS = powerManagerErrors.powerServiceNotUsable({ url: 'http://127.0.0.1:8001', reason: 'ECONNREFUSED' })
  const MISSING = '~/run/power.socket does not exist → Start the power manager: systemctl enable --now slotwire-power-manager'
  const CHECK = 'Check that it and the service of the power module run: systemctl status slotwire-power-manager slotwire.'
  const SOCKET = { powerManager: '~/run/power.socket' }
  const noSocket = { powerManager: undefined }
  const both = { slot1: { vendor_product_id: 'modules.noreya.tech/power' }, slot3: {} }

  /** Serves a power manager with these decisions. Returns the ends of its grants. */
  async function manage(machine: FakeMachine, ...decisions: readonly (PowerDecision | Error)[]) {
    const ends: (readonly [number, boolean])[] = []
    let requests = 0
    const manager = {
      request: async () => {
        const decision = decisions[Math.min(requests++, decisions.length - 1)] ?? DENIED
        if (decision instanceof Error) throw decision
        return decision
      },
      done: async (slot: number, applied: boolean) => void ends.push([slot, applied]),
    }
    const daemon = await servePowerManager({
      socket: machine.at('run/power.socket'),
      manager,
      clock: new SystemClock(),
      log: silentLog,
    })
    onTestFinished(() => daemon.close())
    return ends
  }
  const deciding =
    (decisions: readonly (PowerDecision | Error)[], { service = {}, ...more }: Circumstances = {}) =>
    async (machine: FakeMachine): Promise<Circumstances> => {
      await manage(machine, ...decisions)
      return { ...more, service: { ...SOCKET, ...service } }
    }
  const closed = async (machine: FakeMachine): Promise<Circumstances> => {
    await manage(machine, DENIED)
    machine.set({ 'run/power.socket': 0o660 })
    return { user: STRANGER, service: SOCKET }
  }
  const hanging = async (machine: FakeMachine): Promise<Circumstances> => {
    const sockets: Socket[] = []
    const server = createServer((connection) => sockets.push(connection)).listen(machine.at('run/power.socket'))
    await once(server, 'listening')
    onTestFinished(() => {
      for (const connection of sockets) connection.destroy()
      server.close()
    })
    return { service: SOCKET }
  }
  const asked = [new Error('asked')]
  const bmc = { slot3: { vendor_product_id: 'modules.noreya.tech/bmc' } }

  itFinds(checks.checkPowerManager, [
    ['ok: ~/run/power.socket answers', { slot3: {} }, deciding([DENIED])],
    ['ok: ~/run/power.socket answers', { slot3: {} }, deciding([new Error('busy'), DENIED])],
    [`failure: …did not decide about the request… → ${CHECK}`, { slot3: {} }, deciding([new Error('busy')])],
    [
      'failure: …cannot read the limits of the supply from the power service at http://127.0.0.1:8001 (ECONNREFUSED)… → …',
      { slot3: {} },
      deciding([NO_LIMITS]),
    ],
    [`failure: …did not answer… → ${CHECK}`, { slot3: {} }, hanging],
    [`failure: …cannot be reached… → ${CHECK}`, { slot3: {}, 'run/power.socket': '' }, { service: SOCKET }],
    ['failure: stranger may not use … → …chown stranger ~/run/power.socket && …', { slot3: {} }, closed],
    ['ok: ~/run/power.socket exists; no module here needs it', bmc, deciding(asked)],
    ['', bmc, deciding(asked, { service: { services: ['bmc', 'power'] } })],
    [`failure: ${MISSING}; or omit --power-manager.`, both, { service: SOCKET }],
    ['ok: …does not exist: the service manages the power itself', both, { service: noSocket }],
    [
      'failure: …another service drives the module in slot 1: no pin gets power → …systemctl enable --now slotwire-power-manager.',
      both,
      { service: { ...noSocket, services: ['io'] } },
    ],
  ])

  it('releases power that the power manager grants', async () => {
    const machine = new FakeMachine()
    machine.set({ slot3: {} })
    const ends = await manage(machine, { granted: true, missing: NONE })
    expect(await machine.reported(checks.checkPowerManager, { service: SOCKET })).toEqual(like('ok: …answers'))
    await expect.poll(() => ends).toEqual([[3, false]])
  })
})
