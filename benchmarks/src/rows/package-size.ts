import { withInstalledPackage } from '../installed-package.ts'
import type { Row } from '../row.ts'

const BYTES_PER_MEGABYTE = 1_000_000
const NO_COMPARISON = 'nothing'

/** What a user downloads: the npm package, and everything that npm installs with it. */
export const packageSize: Row = {
  name: 'package-size',
  what: 'the npm package `slotwire`',
  against: 'an empty folder',
  goals: [
    { of: 'packed size', at: 'most', bound: 1.5, unit: 'MB' },
    { of: 'installed packages, itself included', at: 'most', bound: 60, unit: 'packages' },
  ],
  measure: () =>
    withInstalledPackage(async ({ packedBytes, packages }) => {
      const megabytes = packedBytes / BYTES_PER_MEGABYTE
      return [
        { measured: `${megabytes.toFixed(2)} MB`, comparison: NO_COMPARISON, figure: megabytes },
        { measured: String(packages), comparison: NO_COMPARISON, figure: packages },
      ]
    }),
}
