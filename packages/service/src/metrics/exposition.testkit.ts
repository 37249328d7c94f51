export interface ParsedSample {
  /** With its suffix. */
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export interface ParsedFamily {
  readonly name: string
  readonly help: string
  readonly type: string
  readonly samples: ParsedSample[]
}

const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\\n]|\\.)*)",?/gs
const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/s
const NUMBERS: Readonly<Record<string, number>> = { '+Inf': Number.POSITIVE_INFINITY, '-Inf': Number.NEGATIVE_INFINITY }

/** Parses the text format 0.0.4; throws for an invalid line. */
export function parseExposition(text: string): ParsedFamily[] {
  const families: { name: string; help: string; type: string; samples: ParsedSample[] }[] = []
  if (text !== '' && !text.endsWith('\n')) throw new Error('the last line does not end')
  for (const line of text.split('\n').slice(0, -1)) {
    const [, kind, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/s.exec(line) ?? []
    const family = families.at(-1)
    if (kind === 'HELP') families.push({ name, help: unescape(rest), type: '', samples: [] })
    else if (family === undefined) throw new Error(`a line before any family: ${line}`)
    else if (kind === 'TYPE') family.type = rest
    else family.samples.push(sampleOf(line))
  }
  return families
}

function sampleOf(line: string): ParsedSample {
  const match = SAMPLE.exec(line)
  if (match === null) throw new Error(`no sample: ${line}`)
  const [, name = '', labels = '', value = ''] = match
  const pairs = [...labels.matchAll(LABEL)].map(([, key = '', text = '']) => [key, unescape(text)] as const)
  return { name, labels: Object.fromEntries(pairs), value: NUMBERS[value] ?? Number(value) }
}

function unescape(text: string): string {
  return text.replace(/\\(.)/g, (_, character: string) => (character === 'n' ? '\n' : character))
}
