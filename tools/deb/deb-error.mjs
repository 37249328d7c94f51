/** An error that the user of `npm run deb` can fix. */
export class DebError extends Error {}
