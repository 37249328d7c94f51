import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makePackages } from '../../../tools/deb/make-packages.mjs'

/** One entry of a package, as `tar` lists it. */
export interface PackagedEntry {
  readonly mode: string
  readonly owner: string
  readonly size: number
  readonly path: string
}

/** Debian's name for this machine's architecture. */
export const HERE = process.arch === 'arm64' ? 'arm64' : 'amd64'

/** A package of the built program, in a temporary folder. */
export class Package {
  private constructor(
    readonly folder: string,
    readonly file: string,
  ) {}

  static async make(architecture: 'amd64' | 'arm64' = HERE): Promise<Package> {
    const folder = mkdtempSync(join(tmpdir(), 'slotwire-package-'))
    const [file] = await makePackages({ architectures: [architecture], output: folder })
    if (file === undefined) throw new Error('no package was made')
    return new Package(folder, file)
  }

  /** Repacks it with another version. Returns the file, which is removed with the others. */
  as(version: string): string {
    const unpacked = join(this.folder, version)
    execFileSync('dpkg-deb', ['--raw-extract', this.file, unpacked])
    const control = join(unpacked, 'DEBIAN/control')
    writeFileSync(control, readFileSync(control, 'utf8').replace(/^Version: .*$/m, `Version: ${version}`))
    const file = join(this.folder, `${version}.deb`)
    execFileSync('dpkg-deb', ['--root-owner-group', '-Znone', '--build', unpacked, file], { stdio: 'pipe' })
    return file
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** Output of `dpkg-deb` for a package: `--field`, `--info`, `--fsys-tarfile` and the like. */
export function ask(question: string, file: string, ...more: readonly string[]): string {
  return execFileSync('dpkg-deb', [question, file, ...more], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
}

/** Every file that a package installs. */
export function entriesOf(file: string): readonly PackagedEntry[] {
  return ask('--contents', file)
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [mode = '', owner = '', size = '', , , ...path] = line.split(/\s+/)
      return { mode, owner, size: Number(size), path: path.join(' ').replace(/^\./, '') }
    })
}
