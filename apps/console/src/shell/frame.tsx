import { useEffect } from 'preact/hooks'
import { Badge } from '../parts/badge.tsx'
import { ProblemList, useProblems } from '../parts/problem-list.tsx'
import type { Service } from '../store/device-types.ts'
import { vitalsOf } from '../store/health.ts'
import { isBad } from '../store/problem.ts'
import { useStore } from '../store/use-store.ts'
import { useTexts } from '../texts/use-texts.ts'
import { DriveControl } from './drive-control.tsx'
import { LinkStateView } from './link-state.tsx'
import { Navigation } from './navigation.tsx'
import { OffControl } from './off-control.tsx'
import { PageView } from './page-view.tsx'
import type { Route } from './route.ts'
import { SettingsMenu } from './settings-menu.tsx'

interface Properties {
  readonly route: Route
  readonly onSignOut: () => void
}

/** The page around all pages: the device, its health, who drives, and the way to the other pages. */
export function Frame({ route, onSignOut }: Properties) {
  const texts = useTexts()
  const { about, hasToken, link, modules } = useStore()
  return (
    <div class="frame" data-live={link.state.value.isConnected}>
      {modules.list.value.map(({ service, slot }) => (
        <Vitals key={`${service}/${slot}`} service={service} slot={slot} />
      ))}
      <a class="skip" href="#content" onClick={focusContent}>
        {texts.shell.state.skip}
      </a>
      <header class="top">
        <span class="name">
          <strong>{location.host}</strong>
          {about.value?.hasBench === true && <Badge>{texts.shell.virtual}</Badge>}
          {about.value?.isPaused === true && <Badge tone="warn">{texts.shell.paused}</Badge>}
        </span>
        <Health />
        <LinkStateView />
        <OffControl />
        <DriveControl />
        {/* A new one for each page: it is closed. */}
        <SettingsMenu
          key={`${route.page}/${route.slot}`}
          onSignOut={hasToken ? onSignOut : undefined}
          version={about.value?.version}
        />
      </header>
      <Navigation route={route} />
      <main id="content" tabIndex={-1}>
        <PageView route={route} />
      </main>
    </div>
  )
}

/** The hash of the address is the route, so the link does not follow it. */
function focusContent(event: Event): void {
  event.preventDefault()
  document.getElementById('content')?.focus()
}

/** One look says whether all is well; opened it says what is not. */
function Health() {
  const texts = useTexts()
  const store = useStore()
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

/** Keeps up to date what shows whether a module is well. */
function Vitals({ service, slot }: { readonly service: Service; readonly slot: number }) {
  const store = useStore()
  useEffect(() => {
    const ends = vitalsOf(store, service, slot).map(({ reading, everyMs }) => reading.use(everyMs))
    return () => ends.forEach((end) => end())
  }, [store, service, slot])
  return null
}
