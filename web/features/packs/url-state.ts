// The search and page of the list of packs, in the address.
import { listState, trimmed } from '../../shell/url-state/list-state.ts'

export const PACKS_STATE = listState({ search: trimmed })
