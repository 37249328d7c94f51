import { effect, type ReadonlySignal, signal } from '@preact/signals'
import { SystemClock, systemWallTime } from '@slotwire/core'
import { render } from 'preact'
import { AskProvider } from './parts/dialog.tsx'
import { Entrance } from './shell/entrance.tsx'
import { Frame } from './shell/frame.tsx'
import { PreferencesContext, preferences } from './shell/preferences.ts'
import { followRoute, type Route } from './shell/route.ts'
import { Access } from './store/access.ts'
import { StoreContext } from './store/use-store.ts'
import { en } from './texts/en.ts'
import { loadTexts, TextsContext } from './texts/use-texts.ts'

const userPreferences = preferences(() => localStorage, navigator.languages)
const texts = signal(en)
effect(() => {
  const language = userPreferences.language.value
  void loadTexts(language).then((loaded) => {
    if (language !== userPreferences.language.peek()) return
    texts.value = loaded
    document.documentElement.lang = language
  })
})
effect(() => {
  const theme = userPreferences.theme.value
  document.documentElement.style.colorScheme = theme === 'auto' ? '' : theme
})
const access = new Access(location.origin, new SystemClock(), systemWallTime)
render(
  <TextsContext.Provider value={texts}>
    <PreferencesContext.Provider value={userPreferences}>
      <AskProvider>
        <Content route={followRoute(window)} />
      </AskProvider>
    </PreferencesContext.Provider>
  </TextsContext.Provider>,
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
