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
const TYPES = Object.keys(PORTS).map((type) => `slotwire-${type}`)
const UNITS = ['slotwire', ...TYPES, 'slotwire-power-manager']
const ALL_IN_ONE = 8080
/** Who drives the slots before and after: a program that has them open is all that Slotwire sees of it. */
const ORIGINAL = `[Service]
ExecStart=/bin/sh -c 'exec sleep infinity ${SLOTS.map((slot, index) => `${index + 3}<>/dev/slot${slot}`).join(' ')}'
[Install]
WantedBy=multi-user.target
`
const KEEP_SLOTS = '/etc/udev/rules.d/60-slotwire.rules'
/** Real programs on a machine that may be busy. */
const SOON = { timeout: 60_000, interval: 100 }
const STEP_MS = 120_000
/** To make the package and to boot, with several other programs that want the processor. */
const BOOT_MS = 240_000
/** For each of six pins, in milliampere. */
const LITTLE = 10
const TOO_MUCH = 500
const READABLE = 0o755

/** To the questions of the page's table. */
const ANSWERS = [
  { name: 'that it runs', pattern: /Active: active \(running\)[^]*Status: "4 modules at http:\/\/127\.0\.0\.1:8080/ },
  { name: 'what happened', pattern: /"level":30,.*"msg":"module is usable"/ },
  { name: 'that it can be used', pattern: /^HTTP\/1\.1 200 / },
  { name: 'figures', pattern: /^slotwire_build_info\{/m },
  { name: 'what the doctor finds', pattern: / 0 failures, / },
]

const page = readFileSync(inRoot(PAGE), 'utf8')
const blocks = blocksOf(PAGE)
/** What the page has root type on the device, in order. */
const typed = blocks.filter(({ language }) => language === 'sh device').map(({ text }) => text)
/** What answers a question, as the page's table has it. */
const watching = [...page.matchAll(/^\| [^|]+\? \| `([^`]+)`|^\| Figures \| `([^`]+)`/gm)].map(
  ([, question, figures]) => question ?? figures ?? '',
)

describe(PAGE, () => {
  it('has nothing to type but what is tried here', () => {
    expect(typed).toHaveLength(13)
    expect(watching).toHaveLength(ANSWERS.length)
    expect(blocks.filter(({ language }) => language !== 'sh device')).toMatchObject([
      // Packages are made of what is built, by the same code; CI runs the command itself.
      { language: 'sh elsewhere', text: 'npm run deb' },
    ])
  })
})

/**
 * On this machine's own root, which a systemd sees through a copy in memory. Unlike on a device, a slot's file is a link to a pseudo-terminal:
 * several programs could open it, everybody may once it was closed, and `fuser` tells the terminal's name. No udev is there to apply the rule.
 * The device is not started anew: the target that starts what is enabled is. Of the device policy nothing is seen here: systemd lets
 * every service have pseudo-terminals.
 */
describeWith(
  ['socat', 'systemd', 'namespaces', 'curl', 'ip', 'fuser', 'debianNode', 'dpkgDeb'],
  `${PAGE}, on a device`,
  (socat) => {
    const [install = '', holders = '', doctor = '', start = '', ask = '', ...more] = typed
    const [single = '', allAgain = '', beside = '', restart = '', another = '', back = '', remove = '', purge = ''] = more
    let modules: FakeDevice
    let device: BareDevice
    let foundBefore: string

    const told = async (commands: string, outcome = device.type(commands)): Promise<string> => {
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
    const releases = (commands: string): Promise<string> => told(commands, device.typeAndRelease(commands))
    const devices = (type: string, port: number): Promise<string> =>
      device.type(`curl --silent http://127.0.0.1:${port}/api/${type}/`).then(({ output }) => output)
    /** Asks for power until the answer is that: each of several programs has its deadline, and the machine may be busy. */
    const answersPower = async (port: number, milliampere: number, answer: string): Promise<void> => {
      const config = Array(6).fill({ rail: '12_volt', current_milliampere: milliampere })
      const request = `-H 'content-type: application/json' -d '${JSON.stringify({ config })}'`
      const post = `curl --silent ${request} http://127.0.0.1:${port}/api/io/1.0/3/power-management`
      await expect.poll(() => device.type(post).then(({ output }) => output), SOON).toContain(answer)
    }
    const found = (): Promise<string> =>
      told("find /etc /usr /var /run -name '*slotwire*' -not -path '/var/lib/dpkg/*' 2>&1 | sort")
    const processOf = (unit: string): Promise<string> => device.system.property(unit, 'MainPID')
    /** By the original, as the page shows it: on a terminal the number is in the line. */
    const isDriven = async (): Promise<void> => {
      const driven = (shown: string): readonly string[] => shown.match(/ root +F\.{4} sleep$/gm) ?? []
      // It has been started; it may not have opened them yet.
      await expect.poll(() => device.type(holders).then(({ output }) => driven(output)), SOON).toHaveLength(SLOTS.length)
      const shown = await told(holders)
      expect(driven(shown)).toHaveLength(SLOTS.length)
      expect(shown).toContain(` ${await processOf('original')}`)
    }
    const rightsOfSlots = (): Promise<string> => told("stat --dereference --format='%G %a' /dev/slot*")

    beforeAll(async () => {
      const made = new Package()
      modules = await FakeDevice.switchedOn(socat)
      chmodSync(modules.tree.root, READABLE)
      device = await BareDevice.start(modules, made.file)
      made.remove()
      // What a device starts: units that are enabled are wanted by it.
      await told('systemctl start multi-user.target')
      foundBefore = await found()
      await told(
        `mkdir /run/udev\nprintf %s "${ORIGINAL}" >/etc/systemd/system/original.service\nsystemctl enable --now original`,
      )
    }, BOOT_MS)
    afterAll(async () => {
      await device.system.close()
      await modules.close()
    }, BOOT_MS)

    it('2: installing starts and enables nothing, says one line, and gives the slots to the group', {
      timeout: STEP_MS,
    }, async () => {
      const said = (await told(install)).split('\n').filter((line) => line.startsWith('slotwire'))
      expect(said).toEqual([expect.stringMatching(/^slotwire: nothing was started\. .*systemctl enable --now slotwire/)])
      await runs()
      await startsWithTheDevice()
      expect(await told('systemctl is-active original')).toBe('active\n')
      expect(await told('slotwire --version; id --name --user slotwire; id --name --group slotwire')).toMatch(
        /^\d+\.\d+\.\d+\nslotwire\nslotwire\n$/,
      )
      expect(await told(`cat /usr/share/doc/slotwire/${PAGE}`)).toBe(page)
      expect(await rightsOfSlots()).toBe('slotwire 660\n'.repeat(SLOTS.length))
    })

    it('3: shows which unit drives the slots, as does the doctor, and stops it', { timeout: STEP_MS }, async () => {
      const pid = await processOf('original')
      await isDriven()
      expect(await told(`systemctl status ${pid}`)).toContain('original.service')
      const { code, output } = await device.type(doctor)
      expect(code).toBe(1)
      expect(output).toContain(`by another program, but only one can use it: sleep (process ${pid} of original.service)`)
      expect(output).toContain('systemctl disable --now original.service')
      await releases('systemctl disable --now original')
      expect(await device.type(holders)).toEqual({ code: 1, output: '' })
    })

    it('4: finds nothing that is missing', { timeout: STEP_MS }, async () => {
      await expect.poll(() => device.type(doctor).then(({ code }) => code), SOON).toBe(0)
      expect(await told(doctor)).toMatch(/^A service on real hardware, run by slotwire\n[^]* 0 failures, /)
    })

    it('5: says why it does not start, and tries again until it does', { timeout: STEP_MS }, async () => {
      const version = join(modules.tree.sysRoot, 'module', 'sdbpk', 'version')
      writeFileSync(version, '1.0.9\n')
      expect((await device.type(start)).code).not.toBe(0)
      const [, why = ''] = /`(journalctl -u slotwire -n \d+)`/.exec(page) ?? []
      const reason = (): Promise<string> => device.type(why).then(({ output }) => output)
      await expect.poll(reason, SOON).toContain('kernel driver sdbpk 1.0.9 is not supported')
      expect((await device.type(doctor)).output).toMatch(/failure {2}kernel module +kernel driver sdbpk 1\.0\.9 is not supported/)
      writeFileSync(version, '1.1.2\n')
      await runs('slotwire')
      await releases('systemctl disable --now slotwire')
    })

    it('5: serves all modules as soon as the start returns', { timeout: STEP_MS }, async () => {
      const output = await told(`${start}\n${ask}`)
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

    it('5: serves each module type at its own port, with one power budget', { timeout: STEP_MS }, async () => {
      expect((await told(single)).match(/"driver_session"/g)).toHaveLength(3)
      await runs(...TYPES, 'slotwire-power-manager')
      await startsWithTheDevice(...TYPES)
      await expect.poll(() => devices('io', PORTS.io), SOON).toMatch(/"slot_number":3.*"slot_number":5/)
      await expect.poll(() => devices('bmc', PORTS.bmc), SOON).toContain('"slot_number":0')
      await expect.poll(() => devices('power', PORTS.power), SOON).toContain('"slot_number":1')
      await answersPower(PORTS.io, LITTLE, '"success"')
      await answersPower(PORTS.io, TOO_MUCH, '"denied"')
      await told(`systemctl stop ${TYPES.join(' ')}`)
      await runs()
      await told('systemctl start multi-user.target')
      await runs(...TYPES, 'slotwire-power-manager')
      await answersPower(PORTS.io, LITTLE, '"success"')
      await told('systemctl stop slotwire-power-manager')
      await answersPower(PORTS.io, LITTLE, 'start slotwire power-manager')
      await told('systemctl start slotwire-power-manager')
    })

    it('5: serves everything in one again, also beside drivers of others', { timeout: STEP_MS }, async () => {
      await told(allAgain)
      await runs('slotwire')
      await startsWithTheDevice('slotwire')
      await answersPower(ALL_IN_ONE, LITTLE, '"success"')
      await told(beside)
      await runs('slotwire', 'slotwire-power-manager')
      await answersPower(ALL_IN_ONE, LITTLE, '"success"')
      await answersPower(ALL_IN_ONE, TOO_MUCH, '"denied"')
      expect(await told('journalctl --unit slotwire')).toContain('using the power manager at the socket')
    })

    it('6: takes options and settings', { timeout: STEP_MS }, async () => {
      const [, options = ''] = /`(SLOTWIRE_OPTIONS="(?:[^"]+)")`/.exec(page) ?? []
      await told(`echo '${options}' >>/etc/default/slotwire`)
      await told(restart)
      expect(await told(`tr '\\0' ' ' </proc/${await processOf('slotwire')}/cmdline`)).toMatch(/ --log-level debug $/)
      await told('slotwire config set host-name press-4')
      expect(await told('slotwire config get host-name; ls /var/lib/slotwire')).toMatch(/press-4[^]*settings\.yaml/)
    })

    it.each(ANSWERS.map((answer, index) => ({ ...answer, command: watching[index] ?? '' })))(
      'watching it tells $name: $command',
      { timeout: STEP_MS },
      async ({ command, pattern }) => {
        await expect.poll(() => device.type(command).then(({ output }) => output), SOON).toMatch(pattern)
      },
    )

    it('another version: restarts what runs, starts nothing else, keeps settings and, where wanted, the slots', {
      timeout: STEP_MS,
    }, async () => {
      expect(page).toContain(KEEP_SLOTS)
      await told(`mkdir -p /etc/udev/rules.d\ntouch ${KEEP_SLOTS}`)
      const settings = await told('cat /etc/default/slotwire*')
      const before = await processOf('slotwire')
      await releases(another)
      await runs('slotwire', 'slotwire-power-manager')
      expect(await processOf('slotwire')).not.toBe(before)
      expect(await told('cat /etc/default/slotwire*')).toBe(settings)
      expect(await rightsOfSlots()).not.toContain('slotwire')
      await told(`rm ${KEEP_SLOTS}`)
    })

    it('back: the original drives the slots, and nothing of Slotwire runs', { timeout: STEP_MS }, async () => {
      await releases(back)
      await runs()
      await startsWithTheDevice()
      await told('systemctl enable --now original')
      await isDriven()
    })

    it('back: removed, it keeps settings and state, and the slots are root’s', { timeout: STEP_MS }, async () => {
      // As the udev rule has done on a device.
      await told('chgrp slotwire /dev/slot*')
      await told(remove)
      expect(await rightsOfSlots()).toMatch(/^(root \d+\n){4}$/)
      expect(await told('cat /etc/default/slotwire /var/lib/slotwire/settings.yaml')).toMatch(/--log-level debug[^]*press-4/)
      expect((await device.type("systemctl list-unit-files 'slotwire*'")).output).toContain('0 unit files')
      expect((await device.type('slotwire --version')).code).toBe(127)
    })

    it('back: purged, it leaves nothing, once no process of the user is left', { timeout: STEP_MS }, async () => {
      await told('systemd-run --quiet --unit left --uid slotwire sleep infinity')
      expect((await device.type(purge)).code).not.toBe(0)
      expect(await told('ps -u slotwire')).toContain('sleep')
      await told('systemctl stop left')
      await told(purge)
      await expect.poll(found, SOON).toBe(foundBefore)
      expect((await device.type('getent passwd slotwire || getent group slotwire')).code).not.toBe(0)
      expect(await told('systemctl is-active original')).toBe('active\n')
    })
  },
)
