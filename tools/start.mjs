// `npm start -- <options>`: installs, builds, and becomes `slotwire serve <options>`.
import './setup/require-node.mjs'

const { install } = await import('./setup/install.mjs')
const { build } = await import('./setup/build.mjs')

const code = (await install('runtime')) || (await build())
if (code === 0) {
  process.argv = [process.execPath, 'slotwire', 'serve', ...process.argv.slice(2)]
  await import('../apps/cli/dist/main.js')
} else {
  process.exitCode = code
}
