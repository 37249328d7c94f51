import { chmodSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { describeWith } from '../../../tools/setup/describe-with.mjs'
import { FakeDevice } from '../../kernel/kernel-device.testkit.ts'
import { ADDRESS, BootedSystem, HOST_NAME, type Outcome, SHOWN } from './booted-system.testkit.ts'
import { NEEDED_CALLS, PROMISED, PROMISED_OF, REFUSED_CALLS, settingsOf } from './promised-settings.testkit.ts'

const SERVICE = 'slotwire.service'
const LOOPBACK = 'http://127.0.0.1:8080'
const STATE = '/var/lib/slotwire'
const POWER_MANAGER = 'slotwire-power-manager.service'
const SOCKET = '/run/power-mgmt/power-mgmt.socket'
/** Watchdog timeout of each service. */
const WATCHDOG = '30s'
/** Ports of the original services. */
const PORTS = { power: 8001, io: 8002, bmc: 8003 } as const
/** Error number in `systemctl show`. */
const EPERM = '1'
const POWER = { config: Array(6).fill({ rail: '5_volt', current_milliampere: 10 }) }
const READABLE = 0o755
/** Limits for real programs on a busy machine. */
const SOON = { timeout: 60_000, interval: 100 }
const TEST_MS = 120_000

describeWith(['socat', 'systemd', 'namespaces', 'curl', 'ip'], 'a system with systemd and the units', (socat) => {
  let device: FakeDevice
  let system: BootedSystem
  beforeAll(async () => {
    device = await FakeDevice.switchedOn(socat)
    chmodSync(device.tree.root, READABLE)
    system = await BootedSystem.start(device.tree.root)
  }, TEST_MS)
  afterAll(async () => {
    await system.close()
    await device.close()
  })

  const run = (...command: string[]): Promise<Outcome> => system.run(...command)
  const state = (unit = SERVICE): Promise<string> => system.property(unit, 'ActiveState')
  const signal = async (name: string): Promise<unknown> => run('kill', `-${name}`, await system.property(SERVICE, 'MainPID'))
  const log = async (...options: string[]): Promise<string> =>
    (await run('journalctl', '--no-pager', '--output=cat', '--unit', SERVICE, ...options)).output

  const configured = (): Promise<unknown> => post(`${LOOPBACK}/api/io/1.0/3/power-management`, POWER)

  /** The doctor's report of a unit. */
  async function diagnosed(unit: string): Promise<unknown> {
    const { output } = await run('slotwire', 'doctor', '--json', '--hardware', 'kernel', '--sys-root', `${SHOWN}/sys`)
    const { checks } = JSON.parse(output) as { readonly checks: readonly { readonly name: string }[] }
    return checks.find(({ name }) => name === unit)
  }

  async function get(url: string, ...options: string[]): Promise<unknown> {
    const { code, output } = await run('curl', '--silent', '--show-error', ...options, url)
    if (code !== 0) return output
    return JSON.parse(output)
  }
  const post = (url: string, body: object): Promise<unknown> =>
    get(url, '--header', 'content-type: application/json', '--data', JSON.stringify(body))

  /** Resolves when the service has been restarted this often, and serves the modules. */
  async function servesAfter(restarts: number): Promise<void> {
    const now = async (): Promise<unknown> => [await system.property(SERVICE, 'NRestarts'), await state()]
    await expect.poll(now, SOON).toEqual([String(restarts), 'active'])
    expect(await get(`${LOOPBACK}/api/io/1.0/3/input/values`)).toHaveProperty('pins')
  }

  describe.each(Object.entries(PROMISED_OF))('the settings of %s', (unit, own) => {
    let shown: string
    beforeAll(async () => (shown = (await run('systemctl', 'show', '--all', unit)).output), TEST_MS)

    it.each(Object.entries(PROMISED))('include %s', (_, promised) =>
      expect(settingsOf(shown, Object.keys(promised))).toEqual(promised),
    )

    it('set memory limit, capabilities and network', () => expect(settingsOf(shown, Object.keys(own))).toEqual(own))

    it('restrict system calls', () => {
      const { SystemCallFilter = '', ...others } = settingsOf(shown, [
        'SystemCallFilter',
        'SystemCallErrorNumber',
        'SystemCallArchitectures',
      ])
      const calls = SystemCallFilter.split(' ')
      expect(calls).toEqual(expect.arrayContaining(NEEDED_CALLS))
      expect(calls.filter((call) => REFUSED_CALLS.includes(call))).toEqual([])
      expect(others).toEqual({ SystemCallErrorNumber: EPERM, SystemCallArchitectures: 'native' })
    })
  })

  it('activates the service only after the first scan of the modules', { timeout: TEST_MS }, async () => {
    // This module delays the scan up to its deadline, while the door is open.
    device.tree.mute.add(5)
    await run('systemctl', 'start', '--no-block', SERVICE)
    await expect.poll(() => get(`${LOOPBACK}/slotwire/readyz`), SOON).toHaveProperty('status')
    expect(await state()).toBe('activating')
    expect(await get(`${LOOPBACK}/slotwire/readyz`)).not.toEqual({ status: 'success' })
    await expect.poll(() => state(), SOON).toBe('active')
    expect(await get(`${LOOPBACK}/slotwire/readyz`)).toEqual({ status: 'success' })
    expect(await system.property(SERVICE, 'WatchdogUSec')).toBe(WATCHDOG)
    expect(await system.property(SERVICE, 'StatusText')).toMatch(/^3 modules at http:\/\/127\.0\.0\.1:8080/)
    device.tree.mute.clear()
    await expect.poll(() => get(`${LOOPBACK}/api/io/1.0/5/input/values`), SOON).toHaveProperty('pins')
  })

  it('has the right priority for warnings in the journal', { timeout: TEST_MS }, async () => {
    const warnings = await log('--priority=warning')
    expect(warnings).toMatch(/^\{"level":40,.*"slot":5,.*module could not be started/m)
    expect(warnings).not.toContain('"level":30')
    expect(await log()).toMatch(/^\{"level":30,.*module is usable/m)
  })

  it('gives the service access to what it needs: slots, state folder, tokens, settings, the network', {
    timeout: TEST_MS,
  }, async () => {
    expect(await configured()).toMatchObject({ status: 'success' })
    expect(await post(`${LOOPBACK}/api/io/1.0/3/output/state`, { pin: 1, state: 'high' })).toEqual({ status: 'success' })
    expect(device.bench.pin(3, 1).volts).toBeGreaterThan(4.5)
    const created = await run('slotwire', 'token', 'create', '--name', 'test', '--state', STATE)
    const token = /swt_\S+/.exec(created.output)?.[0] ?? created.output
    expect(await run('slotwire', 'config', 'set', 'doors.listen', ADDRESS, '--state', STATE)).toMatchObject({ code: 0 })
    const asNetwork = ['--insecure', '--user', `token:${token}`]
    await expect.poll(() => get(`https://${ADDRESS}/api/io/1.0/3/input/values`, ...asNetwork), SOON).toHaveProperty('pins')
    await expect.poll(async () => (await run('slotwire', 'discover')).output, SOON).toContain(`${HOST_NAME}.local`)
    expect(await run('systemctl', 'reload', SERVICE)).toEqual({ code: 0, output: '' })
    expect(await log()).not.toMatch(/EPERM|EACCES|EROFS|EAFNOSUPPORT|notify systemd/)
  })

  describe('the service process', () => {
    /** Runs a script as root in the service's own view of the system. */
    const inside = async (script: string): Promise<Outcome> =>
      run('nsenter', '--target', await system.property(SERVICE, 'MainPID'), '--mount', 'sh', '-c', script)

    it.each(['/etc', '/usr', '/srv', '/boot', '/root', '/home'])('cannot write to %s', { timeout: TEST_MS }, async (folder) => {
      expect(await run('touch', `${folder}/test`)).toEqual({ code: 0, output: '' })
      const { code, output } = await inside(`touch ${folder}/test`)
      expect([code, output]).toEqual([1, expect.stringMatching(/Read-only file system|Permission denied/)])
    })

    it('has a private /tmp', { timeout: TEST_MS }, async () => {
      await run('touch', '/tmp/of-the-system')
      expect(await inside('ls -A /tmp; touch /tmp/of-the-service')).toEqual({ code: 0, output: '' })
      expect((await run('ls', '/tmp')).output).not.toContain('of-the-service')
    })

    it('has no rights to gain others', { timeout: TEST_MS }, async () => {
      const pid = await system.property(SERVICE, 'MainPID')
      const { output } = await run('grep', '-E', '^(Umask|Uid|CapEff|CapBnd|NoNewPrivs|Seccomp):', `/proc/${pid}/status`)
      // Only the capability for ports below 1024; system calls are filtered.
      expect(output.replaceAll(/\s+/g, ' ')).toMatch(
        /^Umask: 0077 Uid:( 61990){4} CapEff: 0{13}400 CapBnd: 0{13}400 NoNewPrivs: 1 Seccomp: 2 $/,
      )
    })
  })

  it('restarts a hung service', { timeout: TEST_MS }, async () => {
    await system.settle(SERVICE, '[Service]\nWatchdogSec=4\n')
    await run('systemctl', 'restart', SERVICE)
    await servesAfter(0)
    await signal('STOP')
    await servesAfter(1)
    expect(await log()).toContain('Watchdog timeout')
  })

  it('restarts a killed service', { timeout: TEST_MS }, async () => {
    await signal('KILL')
    await servesAfter(2)
    await run('systemctl', 'stop', SERVICE)
    expect([await state(), await system.property(SERVICE, 'Result')]).toEqual(['inactive', 'success'])
    await expect.poll(() => device.bench.slot(3).mode, SOON).toBe('suspend')
  })

  it('answers at the ports of the original services', { timeout: TEST_MS }, async () => {
    const ports = Object.values(PORTS).map(String)
    expect(await run('slotwire', 'config', 'set', 'doors.loopback-ports', ...ports, '--state', STATE)).toMatchObject({ code: 0 })
    expect(await run('systemctl', 'start', SERVICE)).toEqual({ code: 0, output: '' })
    for (const [type, port] of Object.entries(PORTS))
      expect(await get(`http://127.0.0.1:${port}/api/${type}/`, '--header', `Host: ${type}`)).toHaveProperty('devices')
  })

  it('asks a power manager that runs beside the service, also after its kill', {
    timeout: TEST_MS,
  }, async () => {
    const line = `SLOTWIRE_POWER_MANAGER_OPTIONS=--sys-root ${SHOWN}/sys --power-service ${LOOPBACK}`
    await run('sh', '-c', 'echo "$1" > /etc/default/slotwire-power-manager', 'sh', line)
    expect(await run('systemctl', 'start', POWER_MANAGER)).toEqual({ code: 0, output: '' })
    expect(await configured()).toMatchObject({ status: 'success' })
    expect(await log()).toContain('using the power manager at the socket')
    await run('kill', '-KILL', await system.property(POWER_MANAGER, 'MainPID'))
    await expect.poll(() => system.property(POWER_MANAGER, 'NRestarts'), SOON).toBe('1')
    await expect.poll(() => state(POWER_MANAGER), SOON).toBe('active')
    expect(await configured()).toMatchObject({ status: 'success' })
  })

  describe('beside another power manager', () => {
    const STAYS_AWAY = ['inactive', 'no']
    const kept = async () => [await state(POWER_MANAGER), await system.property(POWER_MANAGER, 'ConditionResult')]
    const owner = async (): Promise<string> => (await run('stat', '--format=%U', SOCKET)).output
    async function startForeign(): Promise<void> {
      const listen = [socat, `UNIX-LISTEN:${SOCKET},unlink-early,fork`, 'PIPE']
      await run('systemd-run', '--unit=foreign', '--collect', '--property=RuntimeDirectory=power-mgmt', ...listen)
      await expect.poll(owner, SOON).toBe('root\n')
    }
    afterEach(() => run('systemctl', 'stop', 'foreign'))

    it('leaves the other’s socket alone, and does not start', { timeout: TEST_MS }, async () => {
      await startForeign()
      await run('systemctl', 'stop', POWER_MANAGER)
      expect(await owner()).toBe('root\n')
      await run('systemctl', 'start', POWER_MANAGER)
      expect(await kept()).toEqual(STAYS_AWAY)
    })

    it('does not take over a foreign folder, and retries until there is another power manager', {
      timeout: TEST_MS,
    }, async () => {
      await run('mkdir', '-m', '755', '/run/power-mgmt')
      await run('systemctl', 'start', '--no-block', POWER_MANAGER)
      const said = async () => (await run('journalctl', '--no-pager', '--unit', POWER_MANAGER)).output
      await expect.poll(said, SOON).toContain('let this user write to')
      await startForeign()
      await expect.poll(kept, SOON).toEqual(STAYS_AWAY)
    })
  })

  it('has a doctor that detects a service that keeps ending', { timeout: TEST_MS }, async () => {
    await system.settle(SERVICE, '[Service]\nExecStart=\nExecStart=/bin/false\nRestartSec=60\n')
    await run('systemctl', 'restart', '--no-block', SERVICE)
    await expect.poll(() => system.property(SERVICE, 'SubState'), SOON).toBe('auto-restart')
    expect(await diagnosed(SERVICE)).toMatchObject({
      outcome: 'failure',
      found: expect.stringContaining('ended (exit-code), waits for its next start') as unknown,
      remedy: `See why: journalctl -u ${SERVICE} -n 50.`,
    })
  })
})
