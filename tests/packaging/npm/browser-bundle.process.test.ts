import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { expect, it } from 'vitest'
import { BUILT } from '../../../tools/build/program.mjs'

const MAX_BYTES = 25_000

it(`the client for browsers is one file without imports, and at most ${MAX_BYTES} bytes when a user minified and compressed it`, async () => {
  const { outputFiles, metafile } = await build({
    entryPoints: [join(BUILT, 'client-browser.js')],
    ...{ minify: true, format: 'esm', platform: 'browser', write: false, metafile: true, bundle: true, outfile: 'client.js' },
  })
  expect(Object.keys(metafile.inputs)).toHaveLength(1)
  expect(Object.values(metafile.outputs).flatMap(({ imports }) => imports)).toEqual([])
  const [file] = outputFiles
  expect(file?.text).not.toMatch(/\b(Buffer|process|require|__dirname)\b[.(]/)
  expect(gzipSync(file?.contents ?? '', { level: 9 }).length).toBeLessThanOrEqual(MAX_BYTES)
}, 30_000)
