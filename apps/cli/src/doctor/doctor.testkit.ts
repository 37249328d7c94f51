import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fromIsoTime, SystemClock } from '@slotwire/core'
import { expect, onTestFinished, vi } from 'vitest'
import { runInProcess } from '../command.testkit.ts'
import type { Account, Check, Finding, Service, Subject } from './check.ts'
import { occupiedSlots } from './slots.ts'

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

/** Matches any text that contains `part` or matches it. */
export const text = (part: string | RegExp): unknown =>
  typeof part === 'string' ? expect.stringContaining(part) : expect.stringMatching(part)

/** Runs the Slotwire command that a remedy names. It must be a known command. */
export async function expectKnownCommand({ remedy = '' }: Finding): Promise<void> {
  const [, line = ''] = /\bslotwire (.*?)\.$/.exec(remedy) ?? []
  const { errors } = await runInProcess(...line.replace('<number>', '8444').split(' '))
  expect(line).toContain(' --state ')
  expect(errors).not.toMatch(/unknown|missing|too many|no setting/)
}

/** A fake device in a temporary folder that all users may enter. Removed after the test. */
export class FakeMachine {
  readonly root = mkdtempSync(join(tmpdir(), 'slotwire-doctor-'))
  readonly roots = { sys: this.at('sys'), dev: this.at('dev'), proc: this.at('proc'), run: this.at('run'), etc: this.at('etc') }
  readonly state = this.at('state')

  constructor() {
    for (const folder of ['dev', 'proc', 'run', 'state', 'sys/class/sdbp']) mkdirSync(this.at(folder), { recursive: true })
    chmodSync(this.root, 0o755)
    chmodSync(this.state, 0o700)
    this.write('sys/module/sdbpk/version', '1.3.1\n')
    this.write('proc/devices', 'Character devices:\n  1 mem\n240 sdbp_class\n')
    this.write('run/systemd/timesync/synchronized', '')
    onTestFinished(() => {
      vi.unstubAllEnvs()
      rmSync(this.root, { recursive: true, force: true })
    })
  }

  at(path: string): string {
    return join(this.root, path)
  }

  /** Writes a file and its parent folders. Returns its path. */
  write(path: string, content: string, mode = 0o644): string {
    mkdirSync(dirname(this.at(path)), { recursive: true })
    writeFileSync(this.at(path), content)
    chmodSync(this.at(path), mode)
    return this.at(path)
  }

  /** Plugs a module into a slot, whose file is a device that all users may use. */
  plug(slot: number, attributes: Readonly<Record<string, string>> = {}): void {
    const all = Object.entries({ ...ATTRIBUTES, ...attributes })
    for (const [name, value] of all) this.write(`sys/class/sdbp/slot${slot}/${name}`, `${value}\0`)
    symlinkSync('/dev/null', this.at(`dev/slot${slot}`))
  }

  /** Plugs a module whose slot a process has open, according to `/proc`. */
  plugHeld(slot: number, pid: number, more: { readonly cgroup?: string; readonly parent?: number } = {}): void {
    this.plug(slot)
    unlinkSync(this.at(`dev/slot${slot}`))
    this.write(`proc/${pid}/comm`, 'socat\n')
    this.write(`proc/${pid}/status`, `Name:\tsocat\nPPid:\t${more.parent ?? 1}\n`)
    this.write(`proc/${pid}/cgroup`, `${more.cgroup ?? '0::/'}\n`)
    mkdirSync(this.at(`proc/${pid}/fd`))
    symlinkSync(this.write(`dev/slot${slot}`, ''), this.at(`proc/${pid}/fd/3`))
  }

  /** A system program that prints this text, whatever its arguments. */
  program(name: string, prints: string): void {
    this.write(`bin/${name}`, `#!/bin/sh\ncat "$0.answer"\n`, 0o755)
    this.write(`bin/${name}.answer`, prints)
    vi.stubEnv('PATH', `${this.at('bin')}:${process.env['PATH'] ?? ''}`)
  }

  service(more: Partial<Service> = {}): Service {
    return { state: this.state, services: ['io', 'bmc', 'power'], ...more }
  }

  async subject(more: Partial<Subject> = {}): Promise<Subject> {
    const user = { name: 'owner', uid: process.geteuid?.() ?? 0, gids: [process.getegid?.() ?? 0] }
    const clock = new SystemClock()
    const slots = await occupiedSlots(this.roots, clock)
    const service = this.service()
    return { hardware: 'kernel', roots: this.roots, user, clock, date: NOW, units: 'absent', service, slots, ...more }
  }

  /** The findings of a check on this machine. */
  async look(check: Check, more: Partial<Subject> = {}): Promise<readonly Finding[]> {
    return [await check(await this.subject(more))].flat()
  }
}
