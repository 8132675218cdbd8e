// Providers that need an app of the operator: the log names the variables to set, merchants read what
// has to happen.
import { say, type Text, ownValue } from '../../../plugins/contract.ts'
import type { OAuthClients } from './oauth.ts'
import type { Provider } from './providers/provider.ts'

/** The environment variables that a provider needs and that are not set. */
export const missingOf = ({ clients }: { clients: OAuthClients }, { oauth }: Provider): string[] =>
  oauth && !ownValue(clients, oauth.client)
    ? [`CLOUD_${oauth.client}_CLIENT_ID`, `CLOUD_${oauth.client}_CLIENT_SECRET`]
    : []

export const setUpText = ({ title }: Provider): Text =>
  say('{title} cannot be connected yet: the operator of this app has to set it up first', { title })
