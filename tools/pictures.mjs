// `npm run pictures`: installs, builds, and draws the pictures of the pages again.
import './setup/require-node.mjs'
import { writeFileSync } from 'node:fs'

const { install } = await import('./setup/install.mjs')
const { build } = await import('./setup/build.mjs')
const { inRoot } = await import('./setup/root.mjs')

process.exitCode = (await install('tests')) || (await build())
if (process.exitCode === 0) {
  const { bundleSources } = await import('./build/bundle-sources.mjs')
  const { picture } = await bundleSources({ picture: 'tools/pictures/short-circuit.mjs' })
  /** @type {typeof import('./pictures/short-circuit.mjs')} */
  const { drawShortCircuit } = await import(picture)
  writeFileSync(inRoot('docs', 'pictures', 'short-circuit.svg'), await drawShortCircuit())
  const { drawConsole } = await import('./pictures/console.mjs')
  await drawConsole()
}
