import { useContext } from 'preact/hooks'
import { Select } from '../controls/choice-input.tsx'
import { LANGUAGES, type Language } from '../texts/language.ts'
import { useTexts } from '../texts/use-texts.ts'
import { PreferencesContext, THEMES, type Theme } from './preferences.ts'

interface Properties {
  /** Undefined: no token is in use. */
  readonly onSignOut?: (() => void) | undefined
  readonly version?: string | undefined
}

/** Language, colors, and signing out. Closes when the focus leaves it. */
export function SettingsMenu({ onSignOut, version }: Properties) {
  const texts = useTexts()
  const { language, theme } = useContext(PreferencesContext)
  return (
    <details
      class="menu"
      onKeyDown={({ key, currentTarget }) => {
        if (key !== 'Escape') return
        currentTarget.open = false
        currentTarget.querySelector('summary')?.focus()
      }}
      onFocusOut={({ relatedTarget, currentTarget }) => {
        if (!currentTarget.contains(relatedTarget as Node | null)) currentTarget.open = false
      }}
    >
      <summary aria-label={texts.shell.menu.settings} title={texts.shell.menu.settings}>
        ⚙
      </summary>
      {/* Focusable, so that a click into it keeps the focus inside. */}
      <div class="panel" tabIndex={-1}>
        <Select
          label={texts.shell.menu.language}
          choices={Object.entries(LANGUAGES).map(([code, name]) => [code, name, code])}
          value={language.value}
          onChange={(code) => {
            language.value = code as Language
          }}
        />
        <Select
          label={texts.shell.menu.theme}
          choices={THEMES.map((name) => [name, texts.shell.themes[name]])}
          value={theme.value}
          onChange={(name) => {
            theme.value = name as Theme
          }}
        />
        <a href="#/about">{texts.shell.menu.about}</a>
        {version !== undefined && <small class="muted">{`Slotwire ${version}`}</small>}
        {onSignOut !== undefined && (
          <button type="button" onClick={onSignOut}>
            {texts.shell.menu.signOut}
          </button>
        )}
      </div>
    </details>
  )
}
