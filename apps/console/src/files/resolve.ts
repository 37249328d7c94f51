import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** What `exports` of a package.json gives for one name. */
type Target = string | null | readonly Target[] | { readonly [condition: string]: Target }

interface Manifest {
  readonly exports?: Target
  readonly module?: string
  readonly main?: string
}

/** In this order: the one that the package lists first counts. */
const CONDITIONS = new Set(['browser', 'import', 'default'])
const NAME = /^((?:@[^/]+\/)?[^/]+)(\/.*)?$/

/** A file of an installed package. */
export interface PackageFile {
  /** Name of the package. */
  readonly name: string
  readonly folder: string
  readonly file: string
}

/** Finds the file that a browser loads for `preact` or `preact/hooks`, as imported by a file. Throws if it is missing. */
export function resolveBare(specifier: string, importer: string): PackageFile {
  const [, name = '', rest = ''] = NAME.exec(specifier) ?? []
  for (let at = dirname(importer); ; at = dirname(at)) {
    const folder = join(at, 'node_modules', name)
    if (existsSync(join(folder, 'package.json'))) return { name, folder, file: join(folder, targetIn(folder, rest, specifier)) }
    if (at === dirname(at)) throw new Error(`${importer} imports ${specifier}, which is not installed`)
  }
}

function targetIn(folder: string, rest: string, specifier: string): string {
  const { exports, module, main } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
  const target = exports === undefined ? (rest === '' ? (module ?? main) : `.${rest}`) : exported(exports, `.${rest}`)
  if (target === undefined) throw new Error(`the package of ${specifier} has no file for browsers`)
  return target
}

function exported(exports: Target, path: string): string | undefined {
  if (!isTable(exports) || !Object.keys(exports).some((key) => key.startsWith('.'))) {
    return path === '.' ? chosen(exports) : undefined
  }
  const own = exports[path]
  if (own !== undefined) return chosen(own)
  for (const [pattern, target] of Object.entries(exports)) {
    const [start = '', end] = pattern.split('*')
    if (end === undefined || !path.startsWith(start) || !path.endsWith(end)) continue
    return chosen(target)?.replaceAll('*', path.slice(start.length, path.length - end.length))
  }
  return undefined
}

/** The first target whose condition holds. */
function chosen(target: Target): string | undefined {
  if (typeof target === 'string') return target
  if (!isTable(target)) return undefined
  for (const [condition, one] of Object.entries(target)) {
    const file = CONDITIONS.has(condition) ? chosen(one) : undefined
    if (file !== undefined) return file
  }
  return undefined
}

function isTable(target: Target): target is Readonly<Record<string, Target>> {
  return typeof target === 'object' && target !== null && !Array.isArray(target)
}
