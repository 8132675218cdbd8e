// Sign-in at a provider: an authorization code with PKCE, requested in a separate window. The
// `state` belongs to the shop and the session that began: only they can complete the sign-in, once.
import { createHash } from 'node:crypto'
import * as oauth from 'oauth4webapi'
import { say, english, ownValue } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { AppError } from '../../core/errors.ts'
import { present } from '../../core/lazy.ts'
import type { Cloud } from './cloud.ts'
import { holdConnection, requireConnection } from './connections.ts'
import { missingOf, setUpText, partiesOf, tokenError } from './set-up.ts'
import { lostAccessTitle } from './notices.ts'
import { providerOf } from './providers/providers.ts'
import { CloudError } from './rclone/errors.ts'
import { dropRejections } from './rejections.ts'
import { sealed } from './sealed.ts'

export const CALLBACK_PATH = '/cloud/callback'
const VALID = '10 minutes'

const hashOf = (state: string) => createHash('sha256').update(state).digest()
/** What the verifier of a sign-in is sealed for. */
export const authorizationPlace = (shop: number): string => `${shop}/cloud_authorizations`

/**
 * The provider's address for the sign-in window. Throws `not_found`, and `conflict` if the provider
 * has no sign-in.
 */
export async function beginAuthorization(
  cloud: Cloud,
  scope: ShopScope,
  { id, subject }: { id: string; subject: string },
): Promise<string> {
  const connection = await requireConnection(scope, id)
  const provider = providerOf(connection.provider)
  const { oauth: spec } = provider
  if (!spec)
    throw new AppError('conflict', {
      message: say('{title} is connected with keys', { title: provider.title }),
    })
  const missing = missingOf(cloud.options, provider)
  if (missing.length > 0) throw new AppError('conflict', { message: setUpText(provider) })
  const { options } = cloud
  const state = oauth.generateRandomState()
  const verifier = oauth.generateRandomCodeVerifier()
  await scope.query(
    `with old as (
       delete from cloud_authorizations where shop_id = :shop
         and created_at < now() - interval '${VALID}')
     insert into cloud_authorizations (shop_id, state, connection_id, subject, verifier)
     values (:shop, :state, :id, :subject, :verifier)`,
    {
      id,
      subject,
      state: hashOf(state),
      verifier: options.secrets.seal(verifier, authorizationPlace(scope.shop)),
    },
  )
  const url = new URL(spec.authorize)
  const parameters = {
    client_id: present(ownValue(options.clients, spec.client), `The OAuth client ${spec.client}`)
      .id,
    redirect_uri: options.baseUrl + CALLBACK_PATH,
    response_type: 'code',
    scope: spec.scopes.join(' '),
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...spec.parameters,
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href
}

export interface Completion {
  id: string
  subject: string
  code: string
  state: string
}

/**
 * Exchanges the code; afterwards the connection is ready. Throws `conflict` if the state is another
 * session's, used or expired, and the provider's error.
 */
export async function completeAuthorization(
  cloud: Cloud,
  scope: ShopScope,
  { id, subject, code, state }: Completion,
): Promise<void> {
  const connection = await requireConnection(scope, id)
  const provider = providerOf(connection.provider)
  const [begun] = await scope.query<{ verifier: Buffer }>(
    `delete from cloud_authorizations where shop_id = :shop and state = :state
       and connection_id = :id
       and subject = :subject and created_at > now() - interval '${VALID}' returning verifier`,
    { id, subject, state: hashOf(state) },
  )
  if (!begun || !provider.oauth)
    throw new AppError('conflict', {
      message: say(
        'This sign-in was not started in this session, or has expired: authorize the connection again',
      ),
    })
  const verifier = cloud.options.secrets.open(begun.verifier, authorizationPlace(scope.shop))
  const { refresh, access } = await exchange(cloud, provider.oauth, { code, state, verifier })
  const found = (await provider.discover?.(access, cloud.options.emulators?.fetch ?? fetch)) ?? {}
  await scope.transaction(async (tx) => {
    const row = await holdConnection(tx, id)
    await tx.query(
      `update connections set sealed = :sealed, settings = :settings, state = 'ready', error = null
       where shop_id = :shop and id = :id`,
      {
        id,
        sealed: sealed(cloud.options.secrets, tx.shop, { refresh_token: refresh }),
        settings: JSON.stringify({ ...found, ...row.settings }),
      },
    )
    await tx.query(
      `update notices set read_at = now() where shop_id = :shop and read_at is null
         and title = :title`,
      { title: english(lostAccessTitle(row.name)) },
    )
    // Another account may have the rights that this one lacked.
    await dropRejections(tx, id)
  })
}

async function exchange(
  { options }: Cloud,
  spec: NonNullable<ReturnType<typeof providerOf>['oauth']>,
  { code, state, verifier }: { code: string; state: string; verifier: string },
): Promise<{ refresh: string; access: string }> {
  try {
    const { server, client, authentication, options: requestOptions } = partiesOf(options, spec)
    const callback = new URLSearchParams({ code, state })
    const checked = oauth.validateAuthResponse(server, client, callback, state)
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      authentication,
      checked,
      options.baseUrl + CALLBACK_PATH,
      verifier,
      requestOptions(),
    )
    const answer = await oauth.processAuthorizationCodeResponse(server, client, response)
    if (!answer.refresh_token) throw new CloudError('cloud_access_revoked')
    return { refresh: answer.refresh_token, access: answer.access_token }
  } catch (error) {
    const { code, text } = error instanceof CloudError ? error : tokenError(error)
    throw new AppError(code, { message: text })
  }
}
