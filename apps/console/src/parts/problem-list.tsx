import { useComputed } from '@preact/signals'
import { problemsOf } from '../store/health.ts'
import { isBad, type Problem, pageOf } from '../store/problem.ts'
import { useStore } from '../store/use-store.ts'
import type { Texts } from '../texts/en.ts'
import { useTexts } from '../texts/use-texts.ts'

/** What is wrong now. A component that calls it is rendered again when that changes. */
export function useProblems(): readonly Problem[] {
  const store = useStore()
  // As text: values come each second, and seldom change what is wrong.
  const json = useComputed(() => JSON.stringify(problemsOf(store))).value
  return JSON.parse(json) as readonly Problem[]
}

/** Problems, each with a link to the page where it can be dealt with. */
export function ProblemList({ problems }: { readonly problems: readonly Problem[] }) {
  const texts = useTexts()
  const { modules } = useStore()
  const notices = problems.flatMap((problem) => (problem.kind === 'left' || problem.kind === 'new-session' ? [problem.slot] : []))
  return (
    <ul class="problems">
      {problems.map((problem) => (
        <li key={keyOf(problem)} data-tone={isBad(problem) ? 'bad' : 'warn'}>
          <a href={pageOf(problem)}>{problemText(problem, texts)}</a>
          {(problem.kind === 'left' || problem.kind === 'new-session') && (
            <button type="button" class="quiet" onClick={() => modules.dismiss(problem.slot)}>
              {texts.health.dismiss}
            </button>
          )}
        </li>
      ))}
      {notices.length > 1 && (
        <li>
          <button type="button" class="quiet" onClick={() => notices.forEach((slot) => modules.dismiss(slot))}>
            {texts.health.dismissAll}
          </button>
        </li>
      )}
    </ul>
  )
}

/** The same while only its numbers and flags change, so that the focus stays. */
function keyOf(problem: Problem): string {
  return JSON.stringify({ ...problem, count: 0, leftMs: 0, celsius: 0, flags: [] })
}

/** What a problem is, for people. */
export function problemText(problem: Problem, texts: Texts): string {
  return (texts.problem[problem.kind] as (of: Problem) => string)(problem)
}
