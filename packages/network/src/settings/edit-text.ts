import { isDeepStrictEqual } from 'node:util'
import { type YamlDocument, yaml } from '@slotwire/storage'

/** The new value: a word, a list of words, a map, or undefined to remove it. */
export type NewValue = string | readonly string[] | object | undefined

/**
 * Sets or removes the value at a path of one or two keys. Comments of removed parts go above the next key of the file; spaces may change.
 * `settingsTree` must find no faults in `text`.
 */
export function withValue(text: string, path: readonly [string, string?], value: NewValue): string {
  const { isMap, isNode, isScalar, isSeq, parseDocument } = yaml()
  // As in the reader: each value is text, or one of the words for no value.
  const document: YamlDocument = parseDocument(text.replaceAll('\r\n', '\n'), { schema: 'failsafe', customTags: ['null'] })
  const old = document.getIn(path, true)
  const isSame = value === undefined ? !document.hasIn(path) : isNode(old) && isDeepStrictEqual(old.toJSON(), value)
  if (isSame) return text
  const root = isMap(document.contents) ? document.contents : document.createNode({})
  document.contents = root
  const [key, inner] = path
  const entries: readonly { readonly key: unknown }[] = root.items
  const place = entries.findIndex((entry) => isScalar(entry.key) && entry.key.value === key)
  if (value === undefined) {
    document.deleteIn(path)
    const group = document.get(key)
    if (isMap(group) && group.items.length === 0) document.delete(key)
  } else {
    if (inner !== undefined && !isMap(document.get(key))) document.set(key, document.createNode({}))
    if (typeof value === 'string') document.setIn(path, value)
    else if (!isSeq(old) || !Array.isArray(value)) document.setIn(path, document.createNode(value, { flow: true }))
    else
      old.items = value.map(
        (word) => old.items.find((item) => isScalar(item) && item.value === word) ?? document.createNode(word),
      )
  }
  const written = () => (entries.length === 0 ? '' : document.toString({ lineWidth: 0, flowCollectionPadding: false }))
  const kept = commentsIn(written())
  const lost = commentsIn(text).filter((comment) => {
    const at = kept.indexOf(comment)
    return at < 0 || kept.splice(at, 1).length === 0
  })
  const below = entries[place]?.key
  if (lost.length === 0 || !isScalar(below)) return written() + lost.map((comment) => `${comment}\n`).join('')
  below.commentBefore = [...lost.map((comment) => comment.slice(1)), below.commentBefore ?? []].flat().join('\n')
  return written()
}

function commentsIn(text: string): string[] {
  return [...new (yaml().Lexer)().lex(text)].filter((lexeme) => lexeme.startsWith('#')).map((comment) => comment.trimEnd())
}
