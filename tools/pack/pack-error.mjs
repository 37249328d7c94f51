/** An error that the user of `npm run pack`, `npm run deb` or `npm run release` can fix. */
export class PackError extends Error {}
