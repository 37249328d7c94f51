/** What whoever asked for a package can mend. */
export class DebError extends Error {}
