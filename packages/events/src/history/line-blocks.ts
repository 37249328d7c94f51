import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { comparePositions, type Position } from '@slotwire/contract'
import { orElse } from '@slotwire/core'
import { parseLine } from './stored-line.ts'

/** Bytes that are read at a time: reading and parsing them takes about half a millisecond. Longer than any line. */
export const BLOCK_BYTES = 65_536
/** Of a file: twice of what is written. */
const MAX_BYTES = 8_388_608
const NEWLINE = 0x0a
/** In place of the beginning of a line that is too long: no line begins so. */
const TOO_LONG = Buffer.alloc(1)

/**
 * The complete lines of files in blocks, oldest first: from a block that begins at or before the position, if there is one. An unfinished
 * last line is left out. The files stay open until the end, so that they can be renamed meanwhile.
 */
export function* lineBlocks(paths: readonly string[], after?: Position): Generator<readonly string[]> {
  const files = paths.flatMap(openToRead)
  try {
    const starts = after === undefined ? [] : files.map((file) => blockBefore(file, after))
    const first = Math.max(
      0,
      starts.findLastIndex((block) => block !== undefined),
    )
    for (const [index, file] of files.entries()) {
      if (index >= first) yield* blocksOf(file, index === first ? (starts[index] ?? 0) : 0)
    }
  } finally {
    for (const file of files) closeSync(file)
  }
}

/** The position of the last line that can be read; undefined without one. */
export function lastPosition(paths: readonly string[]): Position | undefined {
  let last: Position | undefined
  for (const lines of lineBlocks(paths, { boot: Number.MAX_SAFE_INTEGER, sequence: 0 })) {
    for (const line of lines) last = parseLine(line)?.position ?? last
  }
  return last
}

/** What is missing, cannot be read, or is too large to be a file of the history has no lines. */
function openToRead(path: string): readonly number[] {
  return orElse([], () => {
    const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const stats = fstatSync(file)
    if (stats.isFile() && stats.size <= MAX_BYTES) return [file]
    closeSync(file)
    return []
  })
}

/** The number of the last block whose first line is not after the position; undefined without one. */
function blockBefore(file: number, position: Position): number | undefined {
  const isBefore = (block: number): boolean | undefined => {
    const first = firstPosition(file, block)
    return first === undefined ? undefined : comparePositions(first, position) <= 0
  }
  if (isBefore(0) !== true) return undefined
  let [low, high] = [0, 1]
  while (isBefore(high) === true) [low, high] = [high, high * 2]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (isBefore(middle) === true) low = middle
    else high = middle
  }
  return low
}

/** The position of the first line that begins in a block; undefined: none does, as the file is shorter or damaged there. */
function firstPosition(file: number, block: number): Position | undefined {
  const bytes = readBlock(file, block)
  let start = block === 0 ? 0 : bytes.indexOf(NEWLINE) + 1
  if (block > 0 && start === 0) return undefined
  for (let end = bytes.indexOf(NEWLINE, start); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
    const line = parseLine(bytes.toString('utf8', start, end))
    if (line !== undefined) return line.position
    start = end + 1
  }
  return undefined
}

function* blocksOf(file: number, first: number): Generator<readonly string[]> {
  let rest: Buffer = Buffer.alloc(0)
  for (let block = first; ; block++) {
    const read = readBlock(file, block)
    const isLast = read.length < BLOCK_BYTES
    // The line that began in the block before was left there.
    const bytes = block === first && first > 0 ? read.subarray(read.indexOf(NEWLINE) + 1) : Buffer.concat([rest, read])
    const end = bytes.lastIndexOf(NEWLINE)
    rest = bytes.length - end > BLOCK_BYTES ? TOO_LONG : bytes.subarray(end + 1)
    if (end >= 0) yield bytes.toString('utf8', 0, end).split('\n')
    if (isLast) return
  }
}

function readBlock(file: number, block: number): Buffer {
  const bytes = Buffer.alloc(BLOCK_BYTES)
  return bytes.subarray(0, readSync(file, bytes, 0, BLOCK_BYTES, block * BLOCK_BYTES))
}
