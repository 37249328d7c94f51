const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' }
/** Characters that XML 1.0 cannot represent: most control characters, lone surrogates, and two noncharacters. */
const UNWRITABLE = /[^\t\n\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu

/** Text in XML, with markup as entities. */
export function escaped(text: string): string {
  return text.replace(UNWRITABLE, '\ufffd').replace(/[&<>"']/g, (each) => ENTITIES[each] ?? each)
}

/** Attributes of a tag, each after a space. */
export function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escaped(String(value)).replace(/[\n\t]/g, (each) => `&#${each.charCodeAt(0)};`)}"`)
    .join('')
}
