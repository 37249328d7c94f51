import { attributes, escaped, visible } from '@slotwire/core'
import type { Report, Result } from './judge.ts'

const outcomes = ['passed', 'failed', 'skipped'] as const
const count = (results: readonly Result[], outcome: Result['outcome']) => results.filter((one) => one.outcome === outcome).length
/** `12 passed, 1 failed, 3 skipped`. */
const summary = (results: readonly Result[]) => outcomes.map((outcome) => `${count(results, outcome)} ${outcome}`).join(', ')
const total = ({ results }: Report): string => `${results.length} checks: ${summary(results)}`
const remarks = ({ stopped, left }: Report): readonly string[] => [
  ...(stopped === undefined ? [] : [`Stopped before its end: ${stopped}`]),
  ...left.map((what) => `Not put back: ${what}`),
]

/** The results by their section. */
function sectioned({ results }: Report): readonly (readonly [section: string, results: readonly Result[]])[] {
  const sections = [...new Set(results.map(({ sentence }) => sentence.section))]
  return sections.map((name) => [name, results.filter(({ sentence }) => sentence.section === name)])
}

/** For people: each section in a line, with what failed or was skipped below. */
export function formatText(report: Report): string {
  const lines = sectioned(report).flatMap(([name, results]) => [
    `${name}: ${summary(results)}`,
    ...results.flatMap(({ outcome, check, reason = '' }) =>
      outcome === 'passed'
        ? []
        : [`  ${outcome.replace('failed', 'FAILED ')}  ${check.id}: ${check.does}`, `           ${reason}`],
    ),
  ])
  return [...lines, ...remarks(report), total(report)].map((line) => `${visible(line)}\n`).join('')
}

/** For programs: one JSON object. */
export function formatJson({ results, ...rest }: Report): string {
  const checks = results.map(({ sentence: { section, text: sentence }, check: { id, effect, does }, outcome, reason }) => {
    return { id, section, sentence, effect, does, outcome, reason }
  })
  const ok = rest.stopped === undefined && count(results, 'failed') === 0
  return `${JSON.stringify({ ok, checks, ...rest })}\n`
}

/** JUnit XML: a suite for each section, a case for each check. */
export function formatJunit(report: Report): string {
  const suites = sectioned(report).flatMap(([name, results]) => [
    `<testsuite${attributes({ name, tests: results.length, failures: count(results, 'failed'), skipped: count(results, 'skipped') })}>`,
    ...results.map(({ check, outcome, reason = '' }) => {
      const tag = outcome === 'failed' ? 'failure' : 'skipped'
      const inner = outcome === 'passed' ? '' : `<${tag}${attributes({ message: reason })}/>`
      return `<testcase${attributes({ classname: name, name: `${check.id}: ${check.does}` })}>${inner}</testcase>`
    }),
    '</testsuite>',
  ])
  const head = ['<?xml version="1.0" encoding="UTF-8"?>', '<testsuites name="slotwire conform">']
  return [...head, ...suites, '</testsuites>', ''].join('\n')
}

const STYLE =
  'body{font:16px/1.5 sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}table{width:100%;border-collapse:collapse}td{padding:.2rem .5rem;border-top:1px solid #ccc;vertical-align:top}.failed{color:#b00020;font-weight:bold}.skipped{color:#666}.passed{color:#176117}'

/** One page that opens offline. */
export function formatHtml(report: Report): string {
  const row = ({ check, outcome, reason = '' }: Result) =>
    `<tr><td class="${outcome}">${outcome}<td><code>${escaped(check.id)}</code><td>${escaped(check.does)}<br><small>${escaped(visible(reason))}</small>`
  const parts = sectioned(report).map(
    ([name, results]) => `<h2>${escaped(name)}</h2><p>${summary(results)}</p><table>${results.map(row).join('\n')}</table>`,
  )
  const notes = remarks(report).map((text) => `<p>${escaped(text)}</p>`)
  const head = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Conformance report</title><style>${STYLE}</style></head>`
  return `${head}<body><h1>Conformance report</h1><p>${total(report)}</p>${[...notes, ...parts].join('\n')}</body></html>\n`
}
