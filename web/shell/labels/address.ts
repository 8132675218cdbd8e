// Email addresses that a person types.
import { t } from '../messages/t.ts'

/** The problem of an address; null: it is one, or the field is empty. */
export const addressProblem = (email: string): string | null =>
  email === '' || /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email)
    ? null
    : t('Enter an address like name@example.com')
