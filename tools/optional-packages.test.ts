import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { inRoot } from './setup/root.mjs'

const OPTIONAL = ['mqtt', 'sparkplug-payload']
const SOURCES = [inRoot('apps', 'cli', 'src'), inRoot('packages', 'bridge', 'src')]

it('a run without tests neither installs the optional packages nor needs their types', () => {
  const lock = JSON.parse(readFileSync(inRoot('package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly dev?: boolean }>>
  }
  for (const name of OPTIONAL) expect(lock.packages[`node_modules/${name}`], name).toMatchObject({ dev: true })
  const imported = new RegExp(`(from |import\\()'(${OPTIONAL.join('|')})['/]`)
  const files = SOURCES.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
  )
  const sources = files.filter((file) => file.endsWith('.ts') && !/\.(test|testkit)\.ts$/.test(file))
  expect(sources.length).toBeGreaterThan(100)
  expect(sources.filter((file) => imported.test(readFileSync(file, 'utf8')))).toEqual([])
})
