// `npm run pictures`: installs, builds, and draws the pictures of the pages again.
import './setup/require-node.mjs'
import { writeFileSync } from 'node:fs'

const { install } = await import('./setup/install.mjs')
const { build } = await import('./setup/build.mjs')
const { inRoot } = await import('./setup/root.mjs')

process.exitCode = (await install('tests')) || (await build())
if (process.exitCode === 0) {
  // It imports what was built just now.
  const { drawShortCircuit } = await import('./pictures/short-circuit.mjs')
  writeFileSync(inRoot('docs', 'pictures', 'short-circuit.svg'), await drawShortCircuit())
  const { drawConsole } = await import('./pictures/console.mjs')
  await drawConsole()
}
