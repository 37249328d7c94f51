import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { expect, it } from 'vitest'
import { walk } from './walk.ts'

const DIST = join(import.meta.dirname, '../../dist')

it('the files of the built console are those that a bundler finds', async () => {
  const { files } = await walk(join(DIST, 'main.js'))
  const { metafile } = await build({
    entryPoints: [join(DIST, 'main.js')],
    absWorkingDir: '/',
    ...{ bundle: true, splitting: true, format: 'esm', platform: 'browser', outdir: 'out', write: false, metafile: true },
    // Also files whose exports are not used.
    ignoreAnnotations: true,
  })
  const bundled = Object.keys(metafile.inputs).map((file) => realpathSync(join('/', file)))
  expect([...files.values()].map((file) => realpathSync(file)).sort()).toEqual(bundled.sort())
})
