// All verbs by name (RFC 959, 2228, 2389, 2428, 3659, 4217). PORT and EPRT are refused: the server
// opens no connections.
import { SIGN_IN_VERBS } from './sign-in-verbs.ts'
import { FOLDER_VERBS } from './folder-verbs.ts'
import { TRANSFER_VERBS } from './transfer-verbs.ts'
import type { Verb } from './state.ts'

const passiveOnly: Verb = ({ reply }) =>
  reply(502, 'Only passive data connections are supported: use EPSV or PASV')

export const VERBS: Readonly<Record<string, Verb>> = Object.assign(
  Object.create(null) as Record<string, Verb>,
  {
    ...SIGN_IN_VERBS,
    ...FOLDER_VERBS,
    ...TRANSFER_VERBS,
    PORT: passiveOnly,
    EPRT: passiveOnly,
  },
)
