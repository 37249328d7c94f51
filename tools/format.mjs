// `npm run format`: formats all code and orders its imports.
import './setup/require-node.mjs'

const { install } = await import('./setup/install.mjs')
const { run } = await import('./setup/run.mjs')
const { inRoot } = await import('./setup/root.mjs')

const biome = inRoot('tools', 'guards', 'node_modules', '@biomejs', 'biome', 'bin', 'biome')
process.exitCode = (await install('guards')) || (await run(process.execPath, [biome, 'check', '--write', '.']))
