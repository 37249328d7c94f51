import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fromIsoTime, SystemClock } from '@slotwire/core'
import { expect, it, onTestFinished, vi } from 'vitest'
import { runInProcess } from '../command.testkit.ts'
import type { DoctorCheck, Finding } from './check.ts'
import { type Account, type CheckedService, listeningSockets, occupiedSlots, type Subject } from './host.ts'

/** A user who owns no file of the test. */
export const STRANGER: Account = { name: 'stranger', uid: 54_321, gids: [54_321] }
export const NOW = fromIsoTime('2026-11-21T12:00:00Z')
export const IO = 'modules.noreya.tech/io'

const ATTRIBUTES = {
  vendor_product_id: IO,
  vendor_name: 'Noreya',
  product_name: 'IO module',
  serial_code: '0000-0000-0000-0000-0000-0000-0000-0003',
  fw_version: 'S.00001.00002.00003',
  hw_version: '00001.00000.00000',
  protocol_version: '00001.00000.00000',
  bootloader_state: '1',
  max_frame_size: '4096',
  max_sclk_speed: '16000',
  max_power_3v3: '300',
  max_power_5v0: '0',
  max_power_12v: '0',
  notification: '',
}
const LINK = '-> '

/** A file: its content, `-> target` of a link, or the mode of a file, or of a folder, which it creates; null removes it. */
type File = string | number | null
/** Files of a machine, by path. `slot3` is a module in that slot with these attributes, and the slot's file that all users may use. */
export type Files = Readonly<Record<string, File | Readonly<Record<string, File>>>>
/** What the checks examine, besides the files. A `~` in the service's paths is the machine's folder. */
export type Circumstances = Partial<Omit<Subject, 'service'>> & { readonly service?: Partial<CheckedService> }
/** What a check must find on a machine with these files: see `reported`. `…` is any text. */
export type Row = readonly [
  findings: string,
  files?: Files,
  more?: Circumstances | ((machine: FakeMachine) => Promise<Circumstances> | Circumstances),
]

/** A module whose slot `socat` has open, according to `/proc`. */
export function held(slot: number, pid: number, { cgroup = '0::/', parent = 1 } = {}): Files {
  const process = { comm: 'socat\n', status: `Name:\tsocat\nPPid:\t${parent}\n`, cgroup: `${cgroup}\n` }
  const about = Object.entries({ ...process, 'fd/3': `${LINK}~/dev/slot${slot}` }).map(([name, file]) => [
    `proc/${pid}/${name}`,
    file,
  ])
  return { [`slot${slot}`]: {}, [`dev/slot${slot}`]: '', ...(Object.fromEntries(about) as Files) }
}

/** Tests of a check: a state of the machine, the finding and its remedy. */
export function itFinds(check: DoctorCheck, rows: readonly Row[]): void {
  const cases = rows.map(([findings, files = {}, more = {}]) => [findings, files, more] as const)
  it.each(cases)('finds %j on a machine with %j', async (findings, files, more) => {
    const machine = new FakeMachine()
    machine.set(files)
    expect(await machine.reported(check, typeof more === 'function' ? await more(machine) : more)).toEqual(like(findings))
  })
}

/** Lines that equal these, in which `…` is any text. */
export const like = (lines: string): unknown =>
  (lines === '' ? [] : lines.split('\n')).map((line) => {
    const parts = line.split('…').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
    return expect.stringMatching(new RegExp(`^${parts.join('.*')}$`, 's')) as unknown
  })

/** Runs the Slotwire command that a remedy names. It must be a known command. */
async function expectKnownCommand({ remedy = '' }: Finding): Promise<void> {
  const [, line] = /\bslotwire ([^|]*? --state \S+)\.$/.exec(remedy) ?? []
  if (line === undefined) return
  const { errors } = await runInProcess(...line.replace('<number>', '8444').split(' '))
  expect(errors).not.toMatch(/unknown|missing|too many|no setting/)
}

/** A fake device in a temporary folder that all users may enter. Removed after the test. */
export class FakeMachine {
  readonly root = mkdtempSync(join(tmpdir(), 'slotwire-doctor-'))
  readonly roots = { sys: this.at('sys'), dev: this.at('dev'), proc: this.at('proc'), run: this.at('run'), etc: this.at('etc') }
  readonly state = this.at('state')

  constructor() {
    for (const folder of ['dev', 'proc', 'run', 'state', 'sys/class/sdbp']) mkdirSync(this.at(folder), { recursive: true })
    this.set({
      '': 0o755,
      state: 0o700,
      'sys/module/sdbpk/version': '1.3.1\n',
      'proc/devices': 'Character devices:\n  1 mem\n240 sdbp_class\n',
      'run/systemd/timesync/synchronized': '',
    })
    onTestFinished(() => {
      vi.unstubAllEnvs()
      rmSync(this.root, { recursive: true, force: true })
    })
  }

  at(path: string): string {
    return join(this.root, path)
  }

  /** Writes or removes files, and creates the folders around them. */
  set(files: Files): void {
    for (const [path, file] of Object.entries(files)) {
      if (typeof file === 'object' && file !== null) {
        this.set({ [`dev/${path}`]: `${LINK}/dev/null` })
        for (const attributes of [ATTRIBUTES, file])
          for (const [name, value] of Object.entries(attributes))
            this.set({ [`sys/class/sdbp/${path}/${name}`]: typeof value === 'string' ? `${value}\0` : value })
        continue
      }
      const whole = this.at(path)
      mkdirSync(dirname(whole), { recursive: true })
      if (typeof file === 'number') {
        if (!existsSync(whole)) mkdirSync(whole)
        chmodSync(whole, file)
        continue
      }
      rmSync(whole, { recursive: true, force: true })
      if (file?.startsWith(LINK) === true) symlinkSync(file.slice(LINK.length).replace('~', this.root), whole)
      else if (file !== null) writeFileSync(whole, file)
    }
  }

  /** A system program that prints this text, whatever its arguments. */
  program(name: string, prints: string): void {
    this.set({ [`bin/${name}`]: `#!/bin/sh\ncat "$0.answer"\n`, [`bin/${name}.answer`]: prints })
    this.set({ [`bin/${name}`]: 0o755 })
    vi.stubEnv('PATH', `${this.at('bin')}:${process.env['PATH'] ?? ''}`)
  }

  service(more: Partial<CheckedService> = {}): CheckedService {
    const { state = this.state, powerManager } = more
    const paths = { state: state.replace('~', this.root), powerManager: powerManager?.replace('~', this.root) }
    return { services: ['io', 'bmc', 'power'], ...more, ...paths }
  }

  async subject({ service, ...more }: Circumstances = {}): Promise<Subject> {
    const user = { name: 'owner', uid: process.geteuid?.() ?? 0, gids: [process.getegid?.() ?? 0] }
    const clock = new SystemClock()
    const [sockets, slots] = [await listeningSockets(), await occupiedSlots(this.roots, clock)]
    const usual = {
      about: '',
      hardware: 'kernel',
      roots: this.roots,
      user,
      clock,
      date: NOW,
      systemd: 'absent',
      units: [],
      sockets,
      slots,
    } as const
    return { ...usual, ...more, service: this.service(service) }
  }

  /** The findings of a check as `outcome name: found → remedy`, with `~` for the machine's folder. */
  async reported(check: DoctorCheck, more: Circumstances = {}): Promise<readonly string[]> {
    const findings = [await check(await this.subject(more))].flat()
    for (const finding of findings) await expectKnownCommand(finding)
    return findings.map(({ outcome, name, found, remedy }) => {
      const line = `${outcome}${name === undefined ? '' : ` ${name}`}: ${found}${remedy === undefined ? '' : ` → ${remedy}`}`
      return line.replaceAll(this.root, '~')
    })
  }
}
