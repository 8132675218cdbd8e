// What a link asks for before a download, as forms choose it.
import { type DownloadLink } from '../../shell/client/types.ts'
import { t } from '../../shell/messages/t.ts'

/** `own`: what the file asks for. */
export type AskChoice = 'own' | 'nothing' | 'email' | 'password'

export interface AskForm {
  ask: AskChoice
  password: string
}

export const EMPTY_ASK: AskForm = { ask: 'own', password: '' }

/** The fields of a request. */
export interface AskTerms {
  ask_for?: 'nothing' | 'email' | 'password' | null
  password?: string
}

const MIN_PASSWORD = 6
const MAX_PASSWORD = 200

/** `own` is left out: a new link asks for what its file asks for. */
export function readAsk({ ask, password }: AskForm): { terms: AskTerms } | { error: string } {
  if (ask === 'own') return { terms: {} }
  if (ask !== 'password') return { terms: { ask_for: ask } }
  const text = password.trim()
  if (text.length < MIN_PASSWORD || text.length > MAX_PASSWORD)
    return {
      error: t('Enter a password of {least} to {most} characters', {
        least: MIN_PASSWORD,
        most: MAX_PASSWORD,
      }),
    }
  return { terms: { ask_for: 'password', password: text } }
}

/** `unchanged`: also what the link's or the order's own choice was. */
export type AskChange = Omit<AskForm, 'ask'> & { ask: AskChoice | 'unchanged' }

/** Of links that exist; `own`: they ask for what their files ask for again. */
export function readAskChange({ ask, ...form }: AskChange) {
  if (ask === 'unchanged') return { terms: {} }
  return ask === 'own' ? { terms: { ask_for: null } } : readAsk({ ask, ...form })
}

/** What a link asks for; '': nothing. */
export const askText = (asked: DownloadLink['ask_for']): string =>
  asked === null ? '' : asked === 'email' ? t('Email needed') : t('Password needed')
