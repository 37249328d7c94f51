import { useEffect } from 'preact/hooks'
import { ProblemList, useProblems } from '../parts/problem-list.tsx'
import { isBad } from '../store/health.ts'
import { useStore } from '../store/use-store.ts'
import { keepVitals } from '../store/vitals.ts'
import { useTexts } from '../texts/use-texts.ts'

/** One look says whether all is well; opened it says what is not. */
export function Health() {
  const texts = useTexts()
  const store = useStore()
  useEffect(() => keepVitals(store), [store])
  const problems = useProblems()
  if (store.modules.state.value === undefined && problems.length === 0) return <p class="health">{texts.health.unknown}</p>
  if (problems.length === 0)
    return (
      <p class="health" data-tone="good" role="status">
        {texts.health.well}
      </p>
    )
  return (
    <details
      class="health"
      data-tone={problems.some(isBad) ? 'bad' : 'warn'}
      onKeyDown={({ key, currentTarget }) => {
        if (key === 'Escape') currentTarget.open = false
      }}
    >
      <summary>
        <span role="status">{texts.health.problems(problems.length)}</span>
      </summary>
      <ProblemList problems={problems} />
    </details>
  )
}
