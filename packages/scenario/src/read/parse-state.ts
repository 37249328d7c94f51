import type { TextSchema } from '@slotwire/contract'
import { type Entry, type Fault, type MapTree, type Span, shownTree, type Tree } from '@slotwire/storage'
import { pinField, typesIn } from '@slotwire/twin'
import type { ModuleCatalog } from '../catalog.ts'

/** A name given by `as`: of a connection or a fault of this kind, or of the answer to a request. */
export type Named = { readonly what: 'connection'; readonly kind: string } | { readonly what: 'answer' }

/** State of parsing: the mistakes and the given names so far. */
export class ParseState {
  readonly faults: Fault[] = []
  /** By name, in the order of the text. */
  readonly names = new Map<string, Named>()
  /** Those that the text gives. */
  readonly #names = new Set<string>()
  /** Files that the text names. */
  readonly files = new Set<string>()
  /** A pin that can be wired. */
  readonly pin: TextSchema

  /** The text of a file beside the scenario; undefined if it may not read files. Throws if it cannot. */
  readonly readFile: ((name: string) => string) | undefined

  constructor(
    /** Module types that can be plugged. */
    readonly catalog: ModuleCatalog,
    readFile?: (name: string) => string,
    /** Whether a name may be one that no step has given: only the bench knows it. */
    readonly takesAnyName = false,
  ) {
    this.readFile = readFile
    this.pin = pinField(typesIn(catalog))
  }

  /** Records a mistake. Returns undefined, in place of the value. */
  fail({ start }: Span, message: string): undefined {
    this.faults.push({ at: start, message })
    return undefined
  }

  /** The value as a map; records a mistake for other values. */
  map(tree: Tree, what: string, example: string): MapTree | undefined {
    if (tree.kind === 'map') return tree
    return this.fail(tree, `${what} is ${shownTree(tree)}: write ${example}`)
  }

  /** Defines a name, once; does nothing if `name` is undefined. */
  defineName(entry: Entry, name: string | undefined, named: Named): void {
    if (name === undefined) return
    // A name that only the bench knows goes to what the text gives it.
    if (this.#names.has(name)) this.fail(entry.keySpan, `the name ${name} is taken: choose another`)
    this.#names.add(name)
    this.names.set(name, named)
  }
}
