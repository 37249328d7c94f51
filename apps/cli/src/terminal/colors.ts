import picocolors from 'picocolors'

export type Colors = ReturnType<typeof picocolors.createColors>

/** Colours on a terminal unless NO_COLOR is set, and wherever FORCE_COLOR is set. A file gets plain text. */
export function colorsFor(output: { readonly isTTY?: boolean }, environment: NodeJS.ProcessEnv): Colors {
  const isWanted = Boolean(environment['FORCE_COLOR']) || (output.isTTY === true && environment['TERM'] !== 'dumb')
  return picocolors.createColors(isWanted && !environment['NO_COLOR'])
}

/** Colours of standard output. */
export const colors = colorsFor(process.stdout, process.env)
