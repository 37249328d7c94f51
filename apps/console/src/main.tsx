import { render } from 'preact'

render(<p>Slotwire</p>, document.body)
