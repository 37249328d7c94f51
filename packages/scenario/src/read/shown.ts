import { visible } from '@slotwire/core'
import type { Tree } from '@slotwire/storage'

/** What a value is, for a message: `a list`. */
export function nameOf(tree: Tree): string {
  switch (tree.kind) {
    case 'nothing':
      return 'nothing'
    case 'text':
      return shown(tree.text)
    case 'list':
      return 'a list'
    case 'map':
      return 'a group of settings'
  }
}

/** A word of a message is shown so long at most. */
const SHOWN_LENGTH = 40

/** What somebody wrote, as a message repeats it. */
export function shown(text: string, mostCharacters = SHOWN_LENGTH): string {
  return text === '' ? '""' : visible(text, mostCharacters)
}
