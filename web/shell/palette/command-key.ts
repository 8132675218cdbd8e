// The keys that open the palette.
import { t } from '../messages/t.ts'

/** As the keyboard of this machine names it. */
export const COMMAND_KEY = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘' : t('Ctrl')

/** With the command key. */
export const PALETTE_KEY = 'K'
