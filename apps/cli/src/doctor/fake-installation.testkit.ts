import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Clock, fromIsoTime, SystemClock } from '@slotwire/core'
import type { Check, Finding } from './check.ts'
import type { Account } from './host/account.ts'
import type { Installation } from './installation.ts'

/** Somebody who has nothing to do with the files of a test. */
export const STRANGER: Account = { name: 'stranger', uid: 54_321, gids: [54_321] }
export const NOW = fromIsoTime('2026-11-21T12:00:00Z')

const ATTRIBUTES = {
  vendor_product_id: 'modules.noreya.tech/io',
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
  rid: '4711',
}

/** A device in a temporary folder that everybody may enter: `sys`, `dev`, `proc`, `run`, `state`. */
export class FakeInstallation {
  readonly root = mkdtempSync(join(tmpdir(), 'slotwire-doctor-'))
  readonly state = join(this.root, 'state')
  readonly dev = join(this.root, 'dev')
  readonly proc = join(this.root, 'proc')
  readonly run = join(this.root, 'run')
  readonly sys = join(this.root, 'sys')

  /** Where units and kernel modules are installed: none at first. */
  readonly system = join(this.root, 'system')

  constructor() {
    chmodSync(this.root, 0o755)
    for (const folder of [this.dev, this.proc, this.run, this.state]) mkdirSync(folder, { mode: 0o755 })
    chmodSync(this.state, 0o700)
    this.write('sys/module/sdbpk/version', '1.1.2\n')
    this.write('proc/devices', 'Character devices:\n  1 mem\n240 sdbp_class\n')
    mkdirSync(join(this.sys, 'class', 'sdbp'), { recursive: true })
    mkdirSync(join(this.sys, 'bus', 'usb', 'devices'), { recursive: true })
  }

  /** Writes a file, with the folders around it; returns its path. */
  write(path: string, content: string, mode = 0o644): string {
    const file = join(this.root, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
    chmodSync(file, mode)
    return file
  }

  /** A module in a slot, whose file is a device that anybody may use. */
  plug(slot: number, attributes: Readonly<Record<string, string>> = {}): string {
    for (const [name, value] of Object.entries({ ...ATTRIBUTES, ...attributes })) this.attribute(slot, name, `${value}\0`)
    this.attribute(slot, 'notification', '')
    symlinkSync('/dev/null', join(this.dev, `slot${slot}`))
    return join(this.sys, 'class', 'sdbp', `slot${slot}`)
  }

  attribute(slot: number, name: string, content: string, mode?: number): string {
    return this.write(`sys/class/sdbp/slot${slot}/${name}`, content, mode)
  }

  /** A process of another program with something open, as `/proc` shows it. */
  addProcess(pid: number, command: string, more: { readonly fd: string; readonly cgroup?: string }): void {
    this.write(`proc/${pid}/comm`, `${command}\n`)
    this.write(`proc/${pid}/stat`, `${pid} (${command}) S 1 0 0`)
    if (more.cgroup !== undefined) this.write(`proc/${pid}/cgroup`, `0::${more.cgroup}\n`)
    mkdirSync(join(this.proc, String(pid), 'fd'))
    this.open(pid, more.fd)
  }

  /** One thing more that a process has open. */
  open(pid: number, file: string): void {
    const folder = join(this.proc, String(pid), 'fd')
    symlinkSync(file, join(folder, String(readdirSync(folder).length + 3)))
  }

  installation(more: Partial<Installation> = {}): Installation {
    const { sys, dev, proc, run } = this
    return {
      hardware: 'kernel',
      roots: { sys, dev, proc, run },
      state: this.state,
      services: ['io', 'bmc', 'power'],
      overrides: {},
      powerManager: { socket: join(run, 'power.socket'), isNamed: false },
      user: { name: 'owner', uid: process.geteuid?.() ?? 0, gids: [process.getegid?.() ?? 0] },
      nodeVersion: '20.19.2',
      date: NOW,
      ...more,
    }
  }

  /** What a check finds here. */
  async look(check: Check, more: Partial<Installation> = {}, clock: Clock = new SystemClock()): Promise<readonly Finding[]> {
    return check.run(this.installation(more), clock)
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true })
  }
}
