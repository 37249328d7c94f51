import { shown } from '@slotwire/core'
import type { Tree } from '@slotwire/storage'

/** Names the kind of a value in a message: `a list`. */
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
