/** Browsers send a tenth of that. */
const MOST_CHARACTERS = 2000

/**
 * The media type that a client prefers (RFC 9110, 12.5.1): that of the highest weight, then of the most specific range, then the first in `Accept`. The first of
 * `types` without `Accept`, or if it names none of them.
 */
export function preferredType<Type extends string>(accept: string | undefined, types: readonly [Type, ...Type[]]): Type {
  const parts = (accept ?? '').slice(0, MOST_CHARACTERS).toLowerCase().split(',')
  const ranges = parts.map((part, place) => {
    const [range, ...parameters] = part.split(';').map((word) => word.trim())
    const weight = parameters.find((parameter) => parameter.startsWith('q='))
    return { range, weight: Number(weight?.slice('q='.length) ?? 1), place }
  })
  const judged = types.flatMap((type) => {
    const names = [type, `${type.split('/', 1)[0]}/*`, '*/*']
    const generality = names.findIndex((name) => ranges.some(({ range }) => range === name))
    const match = ranges.find(({ range }) => range === names[generality])
    return match === undefined || !(match.weight > 0) ? [] : [{ ...match, type, generality }]
  })
  judged.sort((a, b) => b.weight - a.weight || a.generality - b.generality || a.place - b.place)
  return judged[0]?.type ?? types[0]
}
