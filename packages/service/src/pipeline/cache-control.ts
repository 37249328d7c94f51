/** Whether a request's `Cache-Control` asks for a value read anew: `no-cache` among any other directives, in any case. */
export function wantsFresh(cacheControl: string | undefined): boolean {
  return cacheControl !== undefined && cacheControl.split(',').some((directive) => directive.trim().toLowerCase() === 'no-cache')
}
