/** One load: so many connections, each with one request at a time, for so long. */
export interface Load {
  readonly url: string
  readonly connections: number
  readonly seconds: number
  readonly headers?: Readonly<Record<string, string>>
}

export interface LoadResult {
  readonly requests: number
  readonly requestsPerSecond: number
  readonly p99Ms: number
}

/** A program that makes load in a process of its own. */
export interface LoadTool {
  /** With its version, for the report. */
  readonly name: string
  /** Rejects when any request was not answered, or not with 200. */
  run(load: Load): Promise<LoadResult>
}
