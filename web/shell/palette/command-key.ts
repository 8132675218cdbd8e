// The keys that open the palette.
import { t } from '../messages/t.ts'

/** The command key's name on the keyboard of this machine. */
export const COMMAND_KEY = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘' : t('Ctrl')

/** The letter that opens the palette together with the command key. */
export const PALETTE_KEY = 'K'
