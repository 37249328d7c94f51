import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/**
 * Loads a compiled module of this program, or a package, with all its imports, so that the following `import` is immediate. `import` alone
 * asks a loader thread four times for each of hundreds of files: decision 0215. Not for modules with a top-level await.
 */
export function preload(module: string): void {
  // Only tests run the sources directly, and `require` cannot load TypeScript.
  if (import.meta.url.endsWith('.js')) require(module)
}
