import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { inRoot, root } from './setup/root.mjs'

/** Copies the working tree. External packages are links; packages of the workspace lead into the copy. */
export function copyRepository(copy: string): void {
  const list = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    cwd: root,
    encoding: 'utf8',
  })
  for (const file of list.split('\0').filter((name) => name !== '' && existsSync(inRoot(name)))) {
    mkdirSync(dirname(join(copy, file)), { recursive: true })
    cpSync(inRoot(file), join(copy, file))
  }
  for (const folder of ['node_modules', 'tools/guards/node_modules']) linkPackages(folder, copy)
}

function linkPackages(folder: string, copy: string): void {
  for (const name of readdirSync(inRoot(folder))) {
    const own = join(copy, folder, name)
    mkdirSync(dirname(own), { recursive: true })
    // Relative links: they lead into the copy.
    if (name === '@slotwire') cpSync(inRoot(folder, name), own, { recursive: true, verbatimSymlinks: true })
    else if (!name.startsWith('.')) symlinkSync(inRoot(folder, name), own)
  }
}
