// `npm start -- <options>`: installs, builds, and becomes `slotwire serve <options>`. With `--watch` first it builds and starts again after
// each change of a source.
import './setup/require-node.mjs'

const { install } = await import('./setup/install.mjs')
const { build } = await import('./setup/build.mjs')

const [first, ...others] = process.argv.slice(2)
const isWatched = first === '--watch'
const options = isWatched ? others : process.argv.slice(2)

process.exitCode = (await install('runtime')) || (await build())
if (process.exitCode === 0) {
  if (isWatched) {
    const { watch } = await import('./build/watch.mjs')
    await watch(['serve', ...options])
  } else {
    process.argv = [process.execPath, 'slotwire', 'serve', ...options]
    await import(new URL('../apps/cli/dist/main.js', import.meta.url).href)
  }
}
