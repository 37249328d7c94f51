import { InvalidArgumentError } from 'commander'

/** Makes what reads `--services`: names separated by commas. It throws `InvalidArgumentError` naming the ones that there are not. */
export function parseServices(known: readonly string[]): (text: string) => readonly string[] {
  return (text) => {
    const names = [...new Set(text.split(',').map((name) => name.trim()))]
    const unknown = names.filter((name) => !known.includes(name)).map((name) => JSON.stringify(name))
    if (unknown.length === 0) return names
    throw new InvalidArgumentError(
      `there is no service ${unknown.join(', ')}: one or more of ${known.join(', ')}, separated by commas.`,
    )
  }
}
