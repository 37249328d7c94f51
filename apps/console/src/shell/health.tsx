import { useComputed } from '@preact/signals'
import { type Problem, problemsOf } from '../store/health.ts'
import { useStore } from '../store/use-store.ts'
import type { Texts } from '../texts/en.ts'
import { useTexts } from '../texts/use-texts.ts'

/** One look says whether all is well; opened it says what is not. */
export function Health() {
  const texts = useTexts()
  const store = useStore()
  const problems = useComputed(() => problemsOf(store)).value
  if (store.modules.state.value === undefined && problems.length === 0) return <p class="health">{texts.health.unknown}</p>
  if (problems.length === 0)
    return (
      <p class="health" data-tone="good" role="status">
        {texts.health.well}
      </p>
    )
  const isBad = problems.some(({ kind }) => kind === 'lost' || kind === 'restarting' || kind === 'left')
  return (
    <details class="health" data-tone={isBad ? 'bad' : 'warn'}>
      <summary>
        <span role="status">{texts.health.problems(problems.length)}</span>
      </summary>
      <ul class="problems">
        {problems.map((problem) => (
          <li key={JSON.stringify(problem)}>
            <ProblemText problem={problem} />
            {(problem.kind === 'left' || problem.kind === 'new-session') && (
              <button type="button" class="quiet" onClick={() => store.modules.dismiss(problem.slot)}>
                {texts.health.dismiss}
              </button>
            )}
          </li>
        ))}
      </ul>
    </details>
  )
}

function ProblemText({ problem }: { readonly problem: Problem }) {
  const texts = useTexts()
  const text = textOf(problem, texts)
  return 'slot' in problem ? <a href={`#/${problem.service}/${problem.slot}`}>{text}</a> : <span>{text}</span>
}

function textOf(problem: Problem, texts: Texts): string {
  switch (problem.kind) {
    case 'lost':
      return texts.health.lost
    case 'restarting':
      return texts.health.restarting
    case 'left':
      return texts.health.left(texts.service(problem.service), problem.slot)
    case 'new-session':
      return texts.health.newSession(texts.service(problem.service), problem.slot)
    case 'alerts':
      return texts.health.alerts(problem.slot, problem.pin, problem.count)
    case 'warning':
      return problem.text
  }
}
