/** What a page gets. `slot` is -1 for pages without one. */
export interface PageProperties {
  readonly slot: number
}
