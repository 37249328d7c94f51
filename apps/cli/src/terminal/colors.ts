import picocolors from 'picocolors'

export type Colors = ReturnType<typeof picocolors.createColors>

/** Colours where somebody looks: on a terminal, unless NO_COLOR says otherwise, or where FORCE_COLOR asks for them. A file gets plain text. */
export function colorsFor(output: { readonly isTTY?: boolean }, environment: NodeJS.ProcessEnv): Colors {
  const isWanted = Boolean(environment['FORCE_COLOR']) || (output.isTTY === true && environment['TERM'] !== 'dumb')
  return picocolors.createColors(isWanted && !environment['NO_COLOR'])
}

/** Of standard output. */
export const colors = colorsFor(process.stdout, process.env)
