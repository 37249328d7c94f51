import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { inRoot } from '../../../tools/setup/root.mjs'

const UNITS = 'usr/lib/systemd/system'
/** What the units start. */
const PROGRAMS = ['usr/bin/slotwire', 'bin/kill', 'bin/sh']
/** What a system with systemd has of units. */
const SYSTEM_UNITS = ['sysinit', 'basic', 'shutdown', 'multi-user', 'network'].map((name) => `${name}.target`)
const EXECUTABLE = 0o755

/** What is installed of this folder. */
const installed = readdirSync(inRoot('packaging', 'systemd')).filter((name) => /\.(service|d)$/.test(name))

/** Names of the units. */
export const unitNames: readonly string[] = installed.filter((name) => name.endsWith('.service'))

/** A folder in which the units are installed as in the root of a system. */
export class UnitRoot {
  readonly folder = mkdtempSync(join(tmpdir(), 'slotwire-units-'))

  constructor() {
    this.#copy(inRoot('packaging', 'systemd'), installed)
    this.#copy(join('/', UNITS), SYSTEM_UNITS)
    for (const program of PROGRAMS) {
      const path = join(this.folder, program)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, '#!/bin/sh\n', { mode: EXECUTABLE })
    }
  }

  /** Where the units are. */
  get units(): string {
    return join(this.folder, UNITS)
  }

  remove(): void {
    rmSync(this.folder, { recursive: true })
  }

  #copy(from: string, names: readonly string[]): void {
    for (const name of names) cpSync(join(from, name), join(this.units, name), { recursive: true, verbatimSymlinks: true })
  }
}
