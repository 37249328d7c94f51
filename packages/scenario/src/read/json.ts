import type { Tree } from '@slotwire/storage'

/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/

/** Converts to JSON: numbers, true, false and null if they are not quoted. */
export function jsonOf(tree: Tree): Json {
  switch (tree.kind) {
    case 'nothing':
      return null
    case 'text':
      return tree.isQuoted ? tree.text : wordOf(tree.text)
    case 'list':
      return tree.items.map(jsonOf)
    case 'map':
      return Object.fromEntries(tree.entries.map(({ key, value }) => [key, jsonOf(value)]))
  }
}

function wordOf(text: string): Json {
  if (text === 'true' || text === 'false') return text === 'true'
  return NUMBER.test(text) ? Number(text) : text
}

/** Longest value in a message. */
const SHOWN_LENGTH = 300

/** A value for people: JSON in one line, truncated. */
export function shownJson(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text
}
