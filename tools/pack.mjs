// `npm run pack [-- <folder>]`: installs, builds, and makes the npm package, by default in dist.
import { resolve } from 'node:path'
import './setup/require-node.mjs'

const { install } = await import('./setup/install.mjs')
const { build } = await import('./setup/build.mjs')
const { inRoot } = await import('./setup/root.mjs')

process.exitCode = (await install('tests')) || (await build())
if (process.exitCode === 0) {
  // These modules import the bundler, which must be installed first.
  const { makeTarball } = await import('./pack/make-tarball.mjs')
  const { PackError } = await import('./pack/pack-error.mjs')
  const [folder] = process.argv.slice(2)
  try {
    process.stdout.write(`${await makeTarball(folder === undefined ? inRoot('dist') : resolve(folder))}\n`)
  } catch (error) {
    if (!(error instanceof PackError)) throw error
    process.stderr.write(`npm run pack: ${error.message}\n`)
    process.exitCode = 2
  }
}
