import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { chmodSync, cpSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleSources } from '../../../../tools/build/bundle-sources.mjs'

const { memory } = await bundleSources({ memory: 'packages/twin/src/module/memory.ts' })
/** An unprivileged user, who owns nothing. */
const NOBODY = 65_534

export interface MemoryProgram {
  /** JavaScript that uses `FileMemory`. */
  readonly source: string
  /** Largest file that the program may write. */
  readonly fileSizeLimitKiB?: number
  readonly uid?: number
}

/** Writes a program and a JavaScript version of `FileMemory` into `folder`, and starts it as a separate process. */
export function startMemoryProgram(folder: string, program: MemoryProgram): ChildProcess {
  const file = join(folder, 'program.mjs')
  // A copy: an unprivileged user may not be allowed to enter the folder of the sources.
  cpSync(dirname(fileURLToPath(memory)), folder, { recursive: true })
  writeFileSync(file, `import { FileMemory } from './memory.js'\n${program.source}\n`)
  // `ulimit -f` counts in blocks of 512 bytes.
  const limit = program.fileSizeLimitKiB === undefined ? '' : `ulimit -f ${program.fileSizeLimitKiB * 2}; `
  const stdio: ['ignore', 'pipe', 'inherit'] = ['ignore', 'pipe', 'inherit']
  const user = program.uid === undefined ? {} : { uid: program.uid }
  return spawn('/bin/sh', ['-c', `${limit}exec "$0" "$1"`, process.execPath, file], { stdio, ...user })
}

/** Source that runs `reaction` at each synchronization of a folder, with the folder's `inode`. */
export function onFolderSync(reaction: string): string {
  return onSync('isDirectory', reaction)
}

/** Source that runs `reaction` at each synchronization of a file, with the file's `inode`. */
export function onFileSync(reaction: string): string {
  return onSync('isFile', reaction)
}

function onSync(kind: 'isDirectory' | 'isFile', reaction: string): string {
  return `
    import fs from 'node:fs'
    import { syncBuiltinESMExports } from 'node:module'
    const sync = fs.fsyncSync
    fs.fsyncSync = (file) => {
      const status = fs.fstatSync(file)
      const inode = status.ino
      if (status.${kind}()) { ${reaction} }
      sync(file)
    }
    syncBuiltinESMExports()`
}

/** Runs a program to its end; resolves with its output. */
export function runMemoryProgram(folder: string, program: MemoryProgram): Promise<string> {
  const child = startMemoryProgram(folder, program)
  let printed = ''
  child.stdout?.on('data', (chunk: Buffer) => {
    printed += chunk.toString()
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', () => resolve(printed))
  })
}

/** Makes `folder` read-only for a program. Root ignores the mode of a folder, so as root the program must run as the returned user. */
export function unprivileged(folder: string): { readonly uid?: number } {
  chmodSync(folder, 0o555)
  if (process.getuid?.() !== 0) return {}
  chmodSync(join(folder, '..'), 0o755)
  return { uid: NOBODY }
}
