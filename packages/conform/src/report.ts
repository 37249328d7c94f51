import { visible } from '@slotwire/core'
import type { Report, Result } from './judge.ts'

const outcomes = ['passed', 'failed', 'skipped'] as const
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
/** Text of XML and HTML, without control characters. */
const escaped = (text: string): string => visible(text).replace(/[&<>"]/g, (each) => ENTITIES[each] ?? each)

/** `12 passed, 1 failed, 3 skipped`. */
const summary = (results: readonly Result[]): string =>
  outcomes.map((outcome) => `${results.filter((one) => one.outcome === outcome).length} ${outcome}`).join(', ')

function bySection({ results }: Report): readonly (readonly [section: string, results: readonly Result[]])[] {
  const sections = new Set(results.map(({ sentence }) => sentence.section))
  return [...sections].map((name) => [name, results.filter(({ sentence }) => sentence.section === name)])
}

const remarks = ({ stopped, left }: Report): readonly string[] => [
  ...(stopped === undefined ? [] : [`Stopped before its end: ${stopped}`]),
  ...left.map((what) => `Not put back: ${what}`),
]

/** For people: each section in a line, with what failed or was skipped below. */
export function formatText(report: Report): string {
  const lines = bySection(report).flatMap(([name, results]) => [
    `${name}: ${summary(results)}`,
    ...results
      .filter(({ outcome }) => outcome !== 'passed')
      .map(({ outcome, check, reason }) => [
        `  ${outcome === 'failed' ? 'FAILED ' : 'skipped'}  ${check.id}: ${check.does}`,
        `           ${reason ?? ''}`,
      ])
      .flat(),
  ])
  return [...lines, ...remarks(report), `${report.results.length} checks: ${summary(report.results)}`]
    .map((line) => `${visible(line)}\n`)
    .join('')
}

/** For programs: one JSON object. */
export function formatJson({ results, ...rest }: Report): string {
  const checks = results.map(({ sentence, check: { id, effect, does }, outcome, reason }) => ({
    id,
    section: sentence.section,
    sentence: sentence.text,
    effect,
    does,
    outcome,
    reason,
  }))
  return `${JSON.stringify({ ok: isOk({ results, ...rest }), checks, ...rest })}\n`
}

const isOk = ({ results, stopped }: Report): boolean =>
  stopped === undefined && results.every(({ outcome }) => outcome !== 'failed')

/** JUnit XML: a suite for each section, a case for each check. */
export function formatJunit(report: Report): string {
  const count = (results: readonly Result[], outcome: Result['outcome']) =>
    results.filter((one) => one.outcome === outcome).length
  const suites = bySection(report).map(([name, results]) => {
    const cases = results.map(({ check, outcome, reason = '' }) => {
      const head = `    <testcase classname="${escaped(name)}" name="${escaped(`${check.id}: ${check.does}`)}"`
      if (outcome === 'passed') return `${head}/>`
      return `${head}><${outcome === 'failed' ? 'failure' : 'skipped'} message="${escaped(reason)}"/></testcase>`
    })
    const totals = `tests="${results.length}" failures="${count(results, 'failed')}" skipped="${count(results, 'skipped')}"`
    return [`  <testsuite name="${escaped(name)}" ${totals}>`, ...cases, '  </testsuite>'].join('\n')
  })
  return ['<?xml version="1.0" encoding="UTF-8"?>', '<testsuites name="slotwire conform">', ...suites, '</testsuites>', ''].join(
    '\n',
  )
}

const STYLE =
  'body{font:16px/1.5 sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}table{width:100%;border-collapse:collapse}td{padding:.2rem .5rem;border-top:1px solid #ccc;vertical-align:top}.failed{color:#b00020;font-weight:bold}.skipped{color:#666}.passed{color:#176117}'

/** One page that opens offline. */
export function formatHtml(report: Report): string {
  const parts = bySection(report).map(([name, results]) => {
    const rows = results.map(
      ({ check, outcome, reason = '' }) =>
        `<tr><td class="${outcome}">${outcome}</td><td><code>${escaped(check.id)}</code></td><td>${escaped(check.does)}<br><small>${escaped(reason)}</small></td></tr>`,
    )
    return `<h2>${escaped(name)}</h2><p>${summary(results)}</p><table>${rows.join('\n')}</table>`
  })
  const notes = remarks(report).map((text) => `<p>${escaped(text)}</p>`)
  const head = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Conformance report</title><style>${STYLE}</style></head>`
  return `${head}<body><h1>Conformance report</h1><p>${report.results.length} checks: ${summary(report.results)}</p>${[...notes, ...parts].join('\n')}</body></html>\n`
}
