/** Whether a request asks for an uncached value: `no-cache` among other `Cache-Control` directives, in any case. */
export function requestsNoCache(cacheControl: string | undefined): boolean {
  return cacheControl !== undefined && cacheControl.split(',').some((directive) => directive.trim().toLowerCase() === 'no-cache')
}
