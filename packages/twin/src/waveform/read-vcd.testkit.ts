/** Changes of each signal of a VCD file by its full name, as in `slot3.pin1_volts`, with the time in ns. Written from IEEE 1364-2005, 18.2. */
export interface VcdFile {
  readonly timescale: string
  readonly signals: ReadonlyMap<string, readonly (readonly [atNs: number, value: number])[]>
  readonly endNs: number
}

const REMARKS = ['$date', '$version', '$comment']

/** Reads a VCD file. Throws for anything that the standard does not allow here. */
export function readVcd(text: string): VcdFile {
  const words = text.split(/\s+/).filter(Boolean)
  const signals = new Map<string, [number, number][]>()
  const byCode = new Map<string, { readonly type: string; readonly changes: [number, number][] }>()
  const scopes: string[] = []
  let [timescale, endNs, index] = ['', -1, 0]
  const upToEnd = (): readonly string[] => {
    const end = words.indexOf('$end', index)
    if (end < 0) throw new Error(`${words[index]} has no $end`)
    const found = words.slice(index + 1, end)
    index = end
    return found
  }
  for (let isHead = true; index < words.length; index++) {
    const word = words[index] ?? ''
    if (isHead) {
      const [first = '', size = '', code = '', name = ''] = upToEnd()
      if (word === '$timescale') timescale = [first, size].join(' ').replace('1ns', '1 ns').trim()
      else if (word === '$scope') scopes.push(size)
      else if (word === '$upscope') scopes.pop()
      else if (word === '$enddefinitions') isHead = false
      else if (word === '$var') {
        if (byCode.has(code)) throw new Error(`the code ${code} is taken`)
        const changes: [number, number][] = []
        byCode.set(code, { type: `${first} ${size}`, changes })
        signals.set([...scopes, name].join('.'), changes)
      } else if (!REMARKS.includes(word)) throw new Error(`unknown declaration ${word}`)
      continue
    }
    if (word === '$dumpvars' || word === '$end') continue
    if (word.startsWith('#')) {
      const atNs = Number(word.slice(1))
      if (!Number.isSafeInteger(atNs) || atNs < endNs) throw new Error(`${word} after #${endNs}`)
      endNs = atNs
      continue
    }
    const isReal = word.startsWith('r')
    const signal = byCode.get(isReal ? (words[++index] ?? '') : word.slice(1))
    if (signal?.type !== (isReal ? 'real 64' : 'wire 1')) throw new Error(`${word} at #${endNs} has no such signal`)
    const value = Number(isReal ? word.slice(1) : word.slice(0, 1))
    if (Number.isNaN(value)) throw new Error(`${word} is no value`)
    signal.changes.push([endNs, value])
  }
  return { timescale, signals, endNs }
}
