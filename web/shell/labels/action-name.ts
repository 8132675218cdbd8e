// The name of a button that several rows have: its shown text, then its row. Speech input finds a
// button by the text that is shown, in every language (WCAG 2.5.3).
import { t } from '../messages/t.ts'

export const actionName = (shown: string, what: string): string =>
  t('{action}: {what}', { action: shown, what })
