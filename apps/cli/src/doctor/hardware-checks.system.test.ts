import { chmodSync, rmSync } from 'node:fs'
import { beforeEach, describe, expect, it } from 'vitest'
import { FakeMachine, IO, STRANGER, text } from './doctor.testkit.ts'
import { checkKernelModule, checkModules } from './hardware-checks.ts'
import { checkSlotAccess, checkSlotHolders } from './slots.ts'

let machine: FakeMachine
beforeEach(() => {
  machine = new FakeMachine()
})

describe('checkKernelModule', () => {
  it('reports the version', async () => {
    expect(await machine.look(checkKernelModule)).toEqual([{ outcome: 'ok', found: 'sdbpk 1.3.1' }])
  })

  it('warns of a version that Slotwire takes and the original services refuse', async () => {
    machine.write('sys/module/sdbpk/version', '1.2.9\n')
    expect(await machine.look(checkKernelModule)).toMatchObject([
      { outcome: 'warning', found: text('the original services need 1.3.0'), remedy: text('Install sdbpk 1.3.0') },
    ])
  })

  it.each<readonly [string, () => void, string, string]>([
    ['is not loaded', () => rmSync(machine.at('sys/module'), { recursive: true }), 'sdbpk is not loaded', 'modprobe sdbpk'],
    [
      'is too old',
      () => machine.write('sys/module/sdbpk/version', '1.0.9\n'),
      'sdbpk 1.0.9 is not supported',
      'Install sdbpk 1.1.0',
    ],
    ['is too new', () => machine.write('sys/module/sdbpk/version', '2.0.0\n'), 'is not supported', 'or a later 1.x'],
    ['has no version', () => rmSync(machine.at('sys/module/sdbpk/version')), 'cannot be examined (ENOENT)', 'stat'],
    ['has no device number', () => machine.write('proc/devices', '1 mem\n'), 'systemd lets no service open a slot', 'modprobe'],
  ])('fails if it %s', async (_, change, found, remedy) => {
    change()
    expect(await machine.look(checkKernelModule)).toMatchObject([
      { outcome: 'failure', found: text(found), remedy: text(remedy) },
    ])
  })
})

describe('checkModules', () => {
  const IDENTITY = `${IO}, IO module, serial 0000-0000-0000-0000-0000-0000-0000-0003, firmware 1.2.3 (S)`

  it.each<readonly [Readonly<Record<string, string>>, string, string]>([
    [{}, 'ok', ''],
    [{ bootloader_state: '2' }, 'warning', ': in bootloader mode, so not served until its firmware runs'],
    [
      { protocol_version: '00002.00000.00000' },
      'failure',
      ': protocol_version 2.0.0 is not supported: major versions below 2 are',
    ],
    [{ max_sclk_speed: '15999' }, 'failure', ': max_sclk_speed 15999 is out of range: at least 16000 kHz'],
  ])('judges a module with %j: %s', async (attributes, outcome, trouble) => {
    machine.plug(3, attributes)
    expect(await machine.look(checkModules)).toMatchObject([{ outcome, name: 'slot 3', found: IDENTITY + trouble }])
  })

  it.each<readonly [string, () => void, string]>([
    ['ignores a module of an unknown type', () => machine.plug(0, { vendor_product_id: 'example.org/relay' }), 'warning'],
    ['fails for a module with an invalid descriptor', () => machine.plug(0, { serial_code: 'rubbish' }), 'failure'],
    ['accepts a module whose attribute is longer than a page', () => machine.plug(0, { vendor_name: 'A'.repeat(100_000) }), 'ok'],
  ])('%s', async (_, plug, outcome) => {
    plug()
    const [finding] = await machine.look(checkModules)
    expect(finding).toMatchObject({ outcome, name: 'slot 0' })
    expect(finding?.found.length).toBeLessThan(5000)
  })

  it('fails for a missing attribute, and names it', async () => {
    machine.plug(3)
    rmSync(machine.at('sys/class/sdbp/slot3/hw_version'))
    expect(await machine.look(checkModules)).toMatchObject([
      {
        outcome: 'failure',
        found: text(/^modules\.noreya\.tech\/io: ENOENT.*slot3\/hw_version/),
        remedy: text('Run this again'),
      },
    ])
  })

  it('ignores a module of a type that no service here drives', async () => {
    machine.plug(3)
    const service = machine.service({ services: ['power'] })
    expect(await machine.look(checkModules, { service })).toMatchObject([{ outcome: 'ok', found: text('ignored') }])
  })

  it('warns if every slot is empty, and fails if the kernel offers no slots', async () => {
    expect(await machine.look(checkModules)).toMatchObject([{ outcome: 'warning', found: 'no module is in any slot' }])
    rmSync(machine.at('sys/class'), { recursive: true })
    expect(await machine.look(checkModules)).toMatchObject([{ outcome: 'failure', found: text('the kernel offers no slots') }])
  })
})

describe('checkSlotAccess', () => {
  beforeEach(() => machine.plug(3))

  it.each<readonly [string, () => void, string, string]>([
    ['the slot is missing', () => rmSync(machine.at('dev/slot3')), 'dev/slot3 cannot be examined (ENOENT)', 'stat '],
    ['a folder is closed', () => chmodSync(machine.at('dev'), 0o700), 'stranger may not enter ', 'chmod a+x '],
    [
      'alerts cannot be read',
      () => chmodSync(machine.at('sys/class/sdbp/slot3/notification'), 0o600),
      'stranger may not use ',
      'chown stranger ',
    ],
  ])('fails if %s', async (_, change, found, remedy) => {
    change()
    expect(await machine.look(checkSlotAccess, { user: STRANGER })).toMatchObject([
      { outcome: 'failure', name: 'slot 3 access', found: text(found), remedy: text(remedy) },
    ])
  })

  it('examines only modules of these services', async () => {
    expect(await machine.look(checkSlotAccess, { user: STRANGER })).toMatchObject([{ outcome: 'ok' }])
    rmSync(machine.at('dev/slot3'))
    const service = machine.service({ services: ['power'] })
    expect(await machine.look(checkSlotAccess, { service })).toEqual([
      { outcome: 'ok', found: 'no slot holds a module of these services' },
    ])
  })
})

describe('checkSlotHolders', () => {
  const OTHER = { outcome: 'failure', name: 'slot 3 in use' }

  it('is ok if no process has a slot open, even if a process ends meanwhile', async () => {
    machine.plug(3)
    expect(await machine.look(checkSlotHolders)).toEqual([{ outcome: 'ok', found: 'by no process' }])
    machine.write('proc/4712/comm', 'hidden')
    expect(await machine.look(checkSlotHolders)).toMatchObject([{ outcome: 'ok', found: text('run this as root to see all') }])
  })

  it.each([
    ['0::/system.slice/ssh.service', ' of ssh.service', 'systemctl status 4711'],
    ['0::/system.slice/system-getty.slice/getty@tty1.service', ' of getty@tty1.service', 'systemctl status 4711'],
    ['0::/system.slice/containerd.service/kubepods/pod4', ' of containerd.service', 'systemctl status 4711'],
    ['0::/machine.slice/a.scope/payload/system.slice/io.service', ' of a.scope', 'systemctl status 4711'],
    ['9:devices:/some.service\n1:name=systemd:/system.slice/io.service\n0::/', ' of io.service', 'systemctl status 4711'],
    ['0::/../../system.slice/ssh.service', '', 'ps -f -p 4711'],
  ])('fails for another program; in %j it names the unit and does not suggest to disable it', async (cgroup, unit, look) => {
    machine.plugHeld(3, 4711, { cgroup })
    const found = `by another program, but only one can use it: socat (process 4711${unit})`
    const remedy = `Identify it and stop it where it was started: ${look}.`
    expect(await machine.look(checkSlotHolders)).toEqual([{ ...OTHER, found, remedy }])
  })

  it.each<readonly [string, Parameters<FakeMachine['plugHeld']>[2]]>([
    ['the running service itself', {}],
    ['one of its processes', { parent: 4710 }],
    ['another unit of the package', { parent: 1, cgroup: '0::/system.slice/slotwire-io.service' }],
  ])('is ok if the slot is open in %s', async (name, more) => {
    machine.plugHeld(3, name.includes('itself') ? 4710 : 4711, more)
    const service = machine.service({ pid: 4710 })
    expect(await machine.look(checkSlotHolders, { service })).toMatchObject([
      { outcome: 'ok', name: 'slot 3 in use', found: text('by the running service') },
    ])
  })

  it('ignores a slot of another driver if the service drives other modules', async () => {
    machine.plugHeld(3, 4711)
    const service = machine.service({ services: ['power'] })
    expect(await machine.look(checkSlotHolders, { service })).toMatchObject([
      { outcome: 'ok', found: text('not ours, used by socat') },
    ])
  })
})
