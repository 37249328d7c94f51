import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/**
 * Loads a module of this program, named by what it is compiled to, or of a package, with all that it imports, so that the `import` that follows
 * has it at once. `import` itself asks a thread for each file, four times, and a start has hundreds of files; decision 0215. Not for
 * modules that await something at their top.
 */
export function preload(module: string): void {
  // Sources are run as they are by tests alone, and `require` knows nothing of their language.
  if (import.meta.url.endsWith('.js')) require(module)
}
