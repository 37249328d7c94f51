import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { describeWith } from '../../tools/setup/describe-with.mjs'
import { inRoot } from '../../tools/setup/root.mjs'
import { FakeDevice } from '../kernel/kernel-device.testkit.ts'
import { Package } from '../packaging/debian/package.testkit.ts'
import { BareDevice } from '../packaging/systemd/bare-device.testkit.ts'
import { blocksOf } from './examples.testkit.ts'

const PAGE = 'docs/guide/device.md'
const SLOTS = [0, 1, 3, 5]
const PORTS = { power: 8001, io: 8002, bmc: 8003 } as const
const UNITS = ['slotwire', 'slotwire-power-manager']
const ALL_IN_ONE = 8080
/** Substitute for the original services: Slotwire only sees that a program has the slots open. */
const ORIGINAL = `[Service]
ExecStart=/bin/sh -c 'exec sleep infinity ${SLOTS.map((slot, index) => `${index + 3}<>/dev/slot${slot}`).join(' ')}'
[Install]
WantedBy=multi-user.target
`
const KEEP_SLOTS = '/etc/udev/rules.d/60-slotwire.rules'
/** Time limit for real programs on a busy machine. */
const SOON = { timeout: 60_000, interval: 100 }
const STEP_MS = 120_000
/** Time limit to make the package and boot on a busy machine. */
const BOOT_MS = 240_000
/** Power of each of the six pins, in milliampere. */
const LITTLE = 10
const TOO_MUCH = 500
const READABLE = 0o755

/** Expected answers to the questions in the page's table. */
const ANSWERS = [
  { name: 'that it runs', pattern: /Active: active \(running\)[^]*Status: "4 modules at http:\/\/127\.0\.0\.1:8080/ },
  { name: 'what happened', pattern: /"level":30,.*"msg":"module is usable"/ },
  { name: 'that it can be used', pattern: /^HTTP\/1\.1 200 / },
  { name: 'measurements', pattern: /^slotwire_build_info\{/m },
  { name: 'what the doctor finds', pattern: / 0 failures, / },
]

const page = readFileSync(inRoot(PAGE), 'utf8')
const blocks = blocksOf(PAGE)
/** Commands that root types on the device, in order. */
const typed = blocks.filter(({ language }) => language === 'sh device').map(({ text }) => text)
/** The commands in the page's table. */
const watching = [...page.matchAll(/^\| [^|]+\? \| `([^`]+)`|^\| Measurements \| `([^`]+)`/gm)].map(
  ([, question, measurements]) => question ?? measurements ?? '',
)

describe(PAGE, () => {
  it('contains only commands that this test runs', () => {
    expect(typed).toHaveLength(13)
    expect(watching).toHaveLength(ANSWERS.length)
    expect(blocks.filter(({ language }) => language !== 'sh device')).toMatchObject([
      // The test makes the package with the same code; CI runs the command itself.
      { language: 'sh elsewhere', text: 'npm run deb' },
    ])
  })
})

/**
 * Uses this machine's root through a copy in memory that a separate systemd sees. Differences to a device: a slot's file is a link to a
 * pseudo-terminal, so several programs can open it, all users can open it after it was closed, and `fuser` prints the terminal's name. There
 * is no udev to apply the rule. The device is not restarted: only the target that starts enabled units is. The device policy has no effect,
 * because systemd allows every service to open pseudo-terminals.
 */
describeWith(
  ['socat', 'systemd', 'namespaces', 'curl', 'ip', 'fuser', 'debianNode', 'dpkgDeb'],
  `${PAGE}, on a device`,
  (socat) => {
    const [install = '', holders = '', doctor = '', start = '', ask = '', ...more] = typed
    const [ports = '', beside = '', restart = '', save = '', another = '', back = '', remove = '', purge = ''] = more
    let modules: FakeDevice
    let device: BareDevice
    let foundBefore: string

    const outputOf = async (commands: string, outcome = device.type(commands)): Promise<string> => {
      const { code, output } = await outcome
      expect({ commands, code, output: code === 0 ? '' : output }).toEqual({ commands, code: 0, output: '' })
      return output
    }
    const states = async (question: 'is-active' | 'is-enabled'): Promise<Record<string, string>> => {
      const { output } = await device.type(`systemctl ${question} ${UNITS.join(' ')}`)
      const answers = output.trim().split('\n')
      return Object.fromEntries(UNITS.map((unit, index) => [unit, answers[index] ?? '']))
    }
    const only = (yes: string, units: readonly string[], no: string): Record<string, string> =>
      Object.fromEntries(UNITS.map((unit) => [unit, units.includes(unit) ? yes : no]))
    const runs = async (...units: readonly string[]): Promise<void> => {
      await expect.poll(() => states('is-active'), SOON).toEqual(only('active', units, 'inactive'))
    }
    const startsWithTheDevice = async (...units: readonly string[]): Promise<void> => {
      expect(await states('is-enabled')).toEqual(only('enabled', units, 'disabled'))
    }
    const releases = (commands: string): Promise<string> => outputOf(commands, device.typeAndRelease(commands))
    const devices = (type: string, port: number): Promise<string> =>
      device.type(`curl --silent http://127.0.0.1:${port}/api/${type}/`).then(({ output }) => output)
    /** Requests power until the answer matches: several programs with deadlines are involved, and the machine may be busy. */
    const answersPower = async (port: number, milliampere: number, answer: string): Promise<void> => {
      const config = Array(6).fill({ rail: '12_volt', current_milliampere: milliampere })
      const request = `-H 'content-type: application/json' -d '${JSON.stringify({ config })}'`
      const post = `curl --silent ${request} http://127.0.0.1:${port}/api/io/1.0/3/power-management`
      await expect.poll(() => device.type(post).then(({ output }) => output), SOON).toContain(answer)
    }
    const found = (): Promise<string> =>
      outputOf("find /etc /usr /var /run -name '*slotwire*' -not -path '/var/lib/dpkg/*' -not -path '/var/tmp/*' 2>&1 | sort")
    const processOf = (unit: string): Promise<string> => device.system.property(unit, 'MainPID')
    /** Process numbers as the page shows them: on a terminal each is in its line. */
    const isDriven = async (): Promise<void> => {
      const driven = (shown: string): readonly string[] => shown.match(/ root +F\.{4} sleep$/gm) ?? []
      // It has started, but may not have opened the slots yet.
      await expect.poll(() => device.type(holders).then(({ output }) => driven(output)), SOON).toHaveLength(SLOTS.length)
      const shown = await outputOf(holders)
      expect(driven(shown)).toHaveLength(SLOTS.length)
      expect(shown).toContain(` ${await processOf('original')}`)
    }
    const rightsOfSlots = (): Promise<string> => outputOf("stat --dereference --format='%G %a' /dev/slot*")

    beforeAll(async () => {
      const made = await Package.make()
      modules = await FakeDevice.switchedOn(socat)
      chmodSync(modules.tree.root, READABLE)
      device = await BareDevice.start(modules, made.file)
      made.remove()
      // A device starts this target, and with it all enabled units.
      await outputOf('systemctl start multi-user.target')
      foundBefore = await found()
      await outputOf(
        `mkdir /run/udev\nprintf %s "${ORIGINAL}" >/etc/systemd/system/original.service\nsystemctl enable --now original`,
      )
    }, BOOT_MS)
    afterAll(async () => {
      await device.system.close()
      await modules.close()
    }, BOOT_MS)

    it('2: starts and enables nothing during installation, prints one line, and gives the slots to the group', {
      timeout: STEP_MS,
    }, async () => {
      const said = (await outputOf(install)).split('\n').filter((line) => line.startsWith('slotwire'))
      expect(said).toEqual([expect.stringMatching(/^slotwire: nothing was started\. .*systemctl enable --now slotwire/)])
      await runs()
      await startsWithTheDevice()
      expect(await outputOf('systemctl is-active original')).toBe('active\n')
      expect(await outputOf('slotwire --version; id --name --user slotwire; id --name --group slotwire')).toMatch(
        /^\d+\.\d+\.\d+\nslotwire\nslotwire\n$/,
      )
      expect(await outputOf(`cat /usr/share/doc/slotwire/${PAGE}`)).toBe(page)
      expect(await rightsOfSlots()).toBe('slotwire 660\n'.repeat(SLOTS.length))
    })

    it('3: shows which unit drives the slots, and stops it; the doctor shows the same', { timeout: STEP_MS }, async () => {
      const pid = await processOf('original')
      await isDriven()
      expect(await outputOf(`systemctl status ${pid}`)).toContain('original.service')
      const { code, output } = await device.type(doctor)
      expect(code).toBe(1)
      expect(output).toContain(`by another program, but only one can use it: sleep (process ${pid} of original.service)`)
      expect(output).toContain('systemctl disable --now original.service')
      await releases('systemctl disable --now original')
      expect(await device.type(holders)).toEqual({ code: 1, output: '' })
    })

    it('4: finds that all requirements are met', { timeout: STEP_MS }, async () => {
      await expect.poll(() => device.type(doctor).then(({ code }) => code), SOON).toBe(0)
      expect(await outputOf(doctor)).toMatch(/^A service on real hardware, run by slotwire\n[^]* 0 failures, /)
    })

    it('5: logs why it does not start, and retries until it does', { timeout: STEP_MS }, async () => {
      const version = join(modules.tree.sysRoot, 'module', 'sdbpk', 'version')
      writeFileSync(version, '1.0.9\n')
      expect((await device.type(start)).code).not.toBe(0)
      const [, why = ''] = /`(journalctl -u slotwire -n \d+)`/.exec(page) ?? []
      const reason = (): Promise<string> => device.type(why).then(({ output }) => output)
      await expect.poll(reason, SOON).toContain('kernel driver sdbpk 1.0.9 is not supported')
      expect((await device.type(doctor)).output).toMatch(/failure {2}kernel module +kernel driver sdbpk 1\.0\.9 is not supported/)
      writeFileSync(version, '1.3.1\n')
      await runs('slotwire')
      await releases('systemctl disable --now slotwire')
    })

    it('5: serves all modules as soon as the start returns', { timeout: STEP_MS }, async () => {
      const output = await outputOf(`${start}\n${ask}`)
      for (const slot of [3, 5]) expect(output).toContain(`"slot_number":${slot}`)
      for (const [type, slot] of [
        ['bmc', 0],
        ['power', 1],
      ] as const)
        expect(await devices(type, ALL_IN_ONE)).toContain(`"slot_number":${slot}`)
      await runs('slotwire')
      await startsWithTheDevice('slotwire')
      await answersPower(ALL_IN_ONE, LITTLE, '"success"')
    })

    it('5: answers at the ports of the original services', { timeout: STEP_MS }, async () => {
      expect(await outputOf(ports)).toMatch(/"slot_number":3.*"slot_number":5/)
      for (const [type, port] of Object.entries(PORTS)) expect(await devices(type, port)).toContain('"slot_number"')
      await answersPower(PORTS.io, TOO_MUCH, '"denied"')
      await answersPower(PORTS.io, LITTLE, '"success"')
    })

    it('5: asks the power manager beside drivers of other vendors', { timeout: STEP_MS }, async () => {
      await outputOf(beside)
      await runs('slotwire', 'slotwire-power-manager')
      await answersPower(ALL_IN_ONE, LITTLE, '"success"')
      await answersPower(ALL_IN_ONE, TOO_MUCH, '"denied"')
      expect(await outputOf('journalctl --unit slotwire')).toContain('using the power manager at the socket')
    })

    it('6: applies options and settings', { timeout: STEP_MS }, async () => {
      const [, options = ''] = /`(SLOTWIRE_OPTIONS="(?:[^"]+)")`/.exec(page) ?? []
      await outputOf(`echo '${options}' >>/etc/default/slotwire`)
      await outputOf(restart)
      expect(await outputOf(`tr '\\0' ' ' </proc/${await processOf('slotwire')}/cmdline`)).toMatch(/ --log-level debug $/)
      await outputOf('slotwire config set host-name press-4')
      expect(await outputOf('slotwire config get host-name; ls /var/lib/slotwire')).toMatch(/press-4[^]*settings\.yaml/)
    })

    it.each(ANSWERS.map((answer, index) => ({ ...answer, command: watching[index] ?? '' })))(
      'shows $name: $command',
      { timeout: STEP_MS },
      ({ command, pattern }) => expect.poll(() => device.type(command).then(({ output }) => output), SOON).toMatch(pattern),
    )

    it('another version: restarts only running services, and keeps settings and, if asked for, the slots', {
      timeout: STEP_MS,
    }, async () => {
      expect(page).toContain(KEEP_SLOTS)
      await outputOf(`mkdir -p /etc/udev/rules.d\ntouch ${KEEP_SLOTS}`)
      const settings = await outputOf('cat /etc/default/slotwire*')
      const before = await processOf('slotwire')
      await outputOf(save)
      await releases(another)
      await runs('slotwire', 'slotwire-power-manager')
      expect(await processOf('slotwire')).not.toBe(before)
      expect(await outputOf('cat /etc/default/slotwire*')).toBe(settings)
      expect(await rightsOfSlots()).not.toContain('slotwire')
      await outputOf(`rm ${KEEP_SLOTS}`)
    })

    it('back: the original services drive the slots, and no process of Slotwire runs', { timeout: STEP_MS }, async () => {
      await releases(back)
      await runs()
      await startsWithTheDevice()
      await outputOf('systemctl enable --now original')
      await isDriven()
    })

    it('back: keeps settings and state after removal, and gives the slots back to root', { timeout: STEP_MS }, async () => {
      // On a device the udev rule does this.
      await outputOf('chgrp slotwire /dev/slot*')
      await outputOf(remove)
      expect(await rightsOfSlots()).toMatch(/^(root \d+\n){4}$/)
      expect(await outputOf('cat /etc/default/slotwire /var/lib/slotwire/settings.yaml')).toMatch(/--log-level debug[^]*press-4/)
      expect((await device.type("systemctl list-unit-files 'slotwire*'")).output).toContain('0 unit files')
      expect((await device.type('slotwire --version')).code).toBe(127)
    })

    it('back: leaves no file after a purge, when no process of the user runs', { timeout: STEP_MS }, async () => {
      await outputOf('systemd-run --quiet --unit left --uid slotwire sleep infinity')
      expect((await device.type(purge)).code).not.toBe(0)
      expect(await outputOf('ps -u slotwire')).toContain('sleep')
      await outputOf('systemctl stop left')
      await outputOf(purge)
      await expect.poll(found, SOON).toBe(foundBefore)
      expect((await device.type('getent passwd slotwire || getent group slotwire')).code).not.toBe(0)
      expect(await outputOf('systemctl is-active original')).toBe('active\n')
    })
  },
)
