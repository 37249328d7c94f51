import { readFileSync } from 'node:fs'
import { inRoot } from '../../tools/setup/root.mjs'

/** A shell example of a page, and the answer that the page shows. */
export interface Example {
  readonly page: string
  /** Line of the page at which it begins; in the title of its test. */
  readonly line: number
  readonly commands: string
  readonly answer: string | undefined
}

const SHELL = 'sh'
const ANSWER = 'json'
const FENCE = '```'

/** A fenced block of a page, and the line at which it begins. */
export interface Block {
  readonly line: number
  readonly language: string
  readonly text: string
}

/** The fenced blocks of a page, in order. */
export function blocksOf(page: string): readonly Block[] {
  const lines = readFileSync(inRoot(page), 'utf8').split('\n')
  const blocks: Block[] = []
  let begin: number | undefined
  for (const [index, line] of lines.entries()) {
    if (!line.startsWith(FENCE)) continue
    if (begin === undefined) {
      begin = index
      continue
    }
    const language = (lines[begin] as string).slice(FENCE.length)
    blocks.push({ line: begin + 1, language, text: lines.slice(begin + 1, index).join('\n') })
    begin = undefined
  }
  return blocks
}

/** The shell examples of a page, in order. Throws if an answer has no request. */
export function examplesOf(page: string): readonly Example[] {
  const blocks = blocksOf(page)
  return blocks.flatMap(({ language, line, text }, index) => {
    if (language === ANSWER && blocks[index - 1]?.language !== SHELL) throw new Error(`${page}:${line}: an answer to nothing`)
    if (language !== SHELL) return []
    const next = blocks[index + 1]
    return [{ page, line, commands: text, answer: next?.language === ANSWER ? next.text : undefined }]
  })
}

/** Matches an answer without white space; `…` on the page matches anything. */
export function patternOf(answer: string): RegExp {
  const literal = withoutSpace(answer).replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  return new RegExp(`^${literal.replaceAll('…', '.*?')}$`, 's')
}

/** Removes white space: pages wrap answers. */
export function withoutSpace(text: string): string {
  return text.replace(/\s+/g, '')
}

/** Statuses of the errors in an answer, in order. */
export function errorStatusesOf(answer: string): readonly number[] {
  return [...withoutSpace(answer).matchAll(/"status":"error","code":(\d+)/g)].map(([, code]) => Number(code))
}
