import type { Entry, Fault, MapTree, Span, Tree } from '@slotwire/storage'
import { mostPins } from '@slotwire/twin'
import type { ModuleCatalog } from '../catalog.ts'
import { nameOf } from './name-of.ts'

/** What was given a name by `as`: an element of a kind, or the answer to a request. */
export type Named = { readonly what: 'connection'; readonly kind: string } | { readonly what: 'answer' }

/** What goes along while a text is read: the mistakes so far, and the names that were given. */
export class Reading {
  readonly faults: Fault[] = []
  /** By name; in the order of the text. */
  readonly names = new Map<string, Named>()
  /** Module types that can be plugged. */
  readonly catalog: ModuleCatalog
  /** Pins 1 to this number can be wired. */
  readonly mostPins: number

  constructor(catalog: ModuleCatalog) {
    this.catalog = catalog
    this.mostPins = mostPins(Object.values(catalog).map(({ firmware }) => firmware))
  }

  /** Notes a mistake. The result stands for the value that there is not. */
  fail({ start }: Span, message: string): undefined {
    this.faults.push({ at: start, message })
    return undefined
  }

  /** The value as a map; a mistake otherwise. */
  map(tree: Tree, what: string, example: string): MapTree | undefined {
    if (tree.kind === 'map') return tree
    return this.fail(tree, `${what} is ${nameOf(tree)}: write ${example}`)
  }

  /** Gives a name away, once; none where `name` is undefined. */
  give(entry: Entry, name: string | undefined, named: Named): void {
    if (name === undefined) return
    if (this.names.has(name)) this.fail(entry.keySpan, `the name ${name} is taken: choose another`)
    this.names.set(name, named)
  }
}
