import { effect, type ReadonlySignal, signal } from '@preact/signals'
import { SystemClock, systemWallTime } from '@slotwire/core'
import { render } from 'preact'
import { AskProvider } from './parts/ask.tsx'
import { Entrance } from './shell/entrance.tsx'
import { Frame } from './shell/frame.tsx'
import { PreferencesContext, preferences } from './shell/preferences.ts'
import { followRoute, type Route } from './shell/route.ts'
import { Access } from './store/access.ts'
import { StoreContext } from './store/use-store.ts'
import { en } from './texts/en.ts'
import { type Spoken, SpokenContext, spokenIn } from './texts/use-texts.ts'

const chosen = preferences(localStorage, navigator.languages)
const spoken = signal<Spoken>({ language: 'en', texts: en })
effect(() => {
  const language = chosen.language.value
  void spokenIn(language).then((loaded) => {
    if (language !== chosen.language.peek()) return
    spoken.value = loaded
    document.documentElement.lang = language
  })
})
effect(() => {
  document.documentElement.dataset['theme'] = chosen.theme.value
})
const access = new Access(location.origin, new SystemClock(), systemWallTime)
render(
  <SpokenContext.Provider value={spoken}>
    <PreferencesContext.Provider value={chosen}>
      <AskProvider>
        <Content route={followRoute(window)} />
      </AskProvider>
    </PreferencesContext.Provider>
  </SpokenContext.Provider>,
  document.body,
)
void access.connect()

/** The way to the device, or its pages. */
function Content({ route }: { readonly route: ReadonlySignal<Route> }) {
  const state = access.state.value
  if (state.step !== 'ready') return <Entrance state={state} onToken={(token) => void access.connect(token)} />
  return (
    <StoreContext.Provider value={state.store}>
      <Frame route={route.value} onSignOut={() => void access.signOut()} />
    </StoreContext.Provider>
  )
}
