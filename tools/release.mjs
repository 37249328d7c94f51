// `npm run release -- <version>`: sets the version, and makes the npm and Debian packages in dist/release, with checksums. Publishes nothing.
import './setup/require-node.mjs'

const { install } = await import('./setup/install.mjs')
const { build } = await import('./setup/build.mjs')
const { inRoot } = await import('./setup/root.mjs')
const { PackError } = await import('./pack/pack-error.mjs')
const { prepareSources } = await import('./release/prepare.mjs')

const OUTPUT = inRoot('dist', 'release')
const [version] = process.argv.slice(2)

try {
  process.exitCode = (await install('tests')) || (await build())
  if (process.exitCode === 0) await prepare()
} catch (error) {
  if (!(error instanceof PackError)) throw error
  process.stderr.write(`npm run release: ${error.message}\n`)
  process.exitCode = 2
}

async function prepare() {
  const { declaredVersion } = await import('./pack/package-files.mjs')
  const day = new Date(Date.now()).toISOString().slice(0, 10)
  const changed = prepareSources(version, { current: declaredVersion(), day })
  process.exitCode = await build()
  if (process.exitCode !== 0) return
  const { makeTarball } = await import('./pack/make-tarball.mjs')
  const { makePackages } = await import('./deb/make-packages.mjs')
  const { ARCHITECTURES } = await import('./deb/options.mjs')
  const { describeRelease } = await import('./release/about-files.mjs')
  const files = [await makeTarball(OUTPUT), ...(await makePackages({ architectures: ARCHITECTURES, output: OUTPUT }))]
  const all = [...files, ...describeRelease(OUTPUT, files)]
  process.stdout.write(`Changed ${changed.length} files. Made, but not published:\n${all.join('\n')}\n`)
  process.stdout.write('Next: docs/releasing.md, from the step "Check".\n')
}
