// What is wrong with the address of a link, in words.
import { linkProblem } from '../../../plugins/_page/link-file.ts'
import { t } from '../messages/t.ts'

/** Null: buyers can be sent there. */
export function linkText(address: string): string | null {
  if (address === '') return t('Enter an address')
  switch (linkProblem(address)) {
    case 'not_http':
      return t('Enter an address that begins with https:// or http://')
    case 'password':
      return t('The address has a user name or a password: buyers would see it')
    case 'too_long':
      return t('This address is too long for a link')
    case null:
      return null
  }
}
