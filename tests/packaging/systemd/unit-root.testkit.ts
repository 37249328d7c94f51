import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { unitFiles } from '../../../tools/deb/system-files.mjs'

const UNITS = 'usr/lib/systemd/system'
/** The programs that the units start. */
const PROGRAMS = ['usr/bin/slotwire', 'bin/kill', 'bin/sh']
/** The units of any system with systemd. */
const SYSTEM_UNITS = ['sysinit', 'basic', 'shutdown', 'multi-user', 'network'].map((name) => `${name}.target`)
const EXECUTABLE = 0o755

/** Writes the units and their drop-ins to systemd's folder below this root. */
export function writeUnits(root: string): void {
  for (const [path, text] of unitFiles()) {
    const file = join(root, UNITS, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
}

/** A folder with the units installed as in a system's root. */
export class UnitRoot {
  readonly folder = mkdtempSync(join(tmpdir(), 'slotwire-units-'))

  constructor() {
    writeUnits(this.folder)
    for (const name of SYSTEM_UNITS) cpSync(join('/', UNITS, name), join(this.units, name), { verbatimSymlinks: true })
    for (const program of PROGRAMS) {
      const path = join(this.folder, program)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, '#!/bin/sh\n', { mode: EXECUTABLE })
    }
  }

  /** Folder of the units. */
  get units(): string {
    return join(this.folder, UNITS)
  }

  remove(): void {
    rmSync(this.folder, { recursive: true })
  }
}
