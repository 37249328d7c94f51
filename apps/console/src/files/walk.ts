import { readFile } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { moduleImports, stylesheetImports } from './imports.ts'
import { type PackageFile, resolveBare } from './resolve.ts'

/** Folder of the files of packages, in the page's paths. */
const PACKAGES = 'packages'
const RELATIVE = /^\.{1,2}\//

/** The files that a page needs, found by its imports. */
export interface Walked {
  /** Each file by its path in the page: `main.js`, `packages/preact/dist/preact.mjs`. */
  readonly files: ReadonlyMap<string, string>
  /** Paths of bare names in the page. */
  readonly names: ReadonlyMap<string, string>
  /** Paths of what is loaded before the first line runs, the entry last. */
  readonly first: readonly string[]
}

/** A place whose files are in the page: the app's own folder, or a package's. */
type Home = Pick<PackageFile, 'folder'> & { readonly prefix: string }

/** Walks the imports from an entry. The paths of its own files are relative to the entry's folder. */
export async function walk(entry: string): Promise<Walked> {
  const files = new Map<string, string>()
  const names = new Map<string, string>()
  const first: string[] = []
  const later: [file: string, home: Home][] = []

  async function visit(file: string, home: Home, isFirst: boolean): Promise<void> {
    const path = home.prefix + relative(home.folder, file).split(sep).join('/')
    const known = files.get(path)
    if (known !== undefined && known !== file) throw new Error(`${path} would be two files, ${known} and ${file}`)
    if (known !== undefined) return
    files.set(path, file)
    const text = await readFile(file, 'utf8')
    const imports = file.endsWith('.css') ? stylesheetImports(text) : moduleImports(text)
    for (const name of imports.now) await visit(...located(name, file, home), isFirst)
    later.push(...imports.later.map((name) => located(name, file, home)))
    if (isFirst) first.push(path)
  }

  function located(name: string, importer: string, home: Home): [file: string, home: Home] {
    if (RELATIVE.test(name)) return [join(dirname(importer), name), home]
    const found = resolveBare(name, importer)
    const place = { folder: found.folder, prefix: `${PACKAGES}/${found.name}/` }
    const path = place.prefix + relative(found.folder, found.file).split(sep).join('/')
    names.set(name, path)
    return [found.file, place]
  }

  await visit(entry, { folder: dirname(entry), prefix: '' }, true)
  for (let next = later.shift(); next !== undefined; next = later.shift()) await visit(...next, false)
  return { files, names, first }
}
