import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { expect, it } from 'vitest'
import { bundle } from '../../../tools/pack/bundle.mjs'

const MOST_BYTES = 25_000

it(`the client for browsers is one file without imports, and at most ${MOST_BYTES} bytes when a user minified and compressed it`, async () => {
  const files = await bundle({ 'client-browser': 'apps/cli/src/client-browser.ts' }, [], { platform: 'browser' })
  expect([...files.keys()]).toEqual(['client-browser.js'])
  const contents = files.get('client-browser.js')?.toString()
  const { outputFiles, metafile } = await build({
    stdin: { contents: contents ?? '' },
    ...{ minify: true, format: 'esm', platform: 'browser', write: false, metafile: true, bundle: true, outfile: 'client.js' },
  })
  expect(Object.values(metafile.outputs).flatMap(({ imports }) => imports)).toEqual([])
  const [file] = outputFiles
  expect(file?.text).not.toMatch(/\b(Buffer|process|require|__dirname)\b[.(]/)
  expect(gzipSync(file?.contents ?? '', { level: 9 }).length).toBeLessThanOrEqual(MOST_BYTES)
}, 30_000)
