import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runProgram } from './program.ts'

const PACK = fileURLToPath(new URL('../../tools/pack.mjs', import.meta.url))

/** The npm package, installed alone in a temporary folder. */
export interface InstalledPackage {
  /** The command. */
  readonly program: string
  readonly packedBytes: number
  /** Number of installed packages, itself included. */
  readonly packages: number
}

/** Makes the npm package, installs it, and removes it after `use`. */
export async function withInstalledPackage<T>(use: (installed: InstalledPackage) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'slotwire-package-'))
  try {
    const tarball = (await succeeding(process.execPath, PACK, folder)).trim()
    await writeFile(join(folder, 'package.json'), '{ "private": true }\n')
    await succeeding('npm', 'install', '--prefix', folder, '--prefer-offline', '--no-audit', '--no-fund', tarball)
    const lock = JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8')) as { packages: object }
    return await use({
      program: join(folder, 'node_modules', 'slotwire', 'bin', 'slotwire.js'),
      packedBytes: (await stat(tarball)).size,
      // The first is the folder.
      packages: Object.keys(lock.packages).length - 1,
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function succeeding(program: string, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runProgram(program, args)
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} failed: ${code} ${stderr}`)
  return stdout
}
