// The token broker: rclone starts with an expired token and requests another one from this server
// on loopback, with a nonce in place of a refresh token. The real refresh token and the client's
// secret never enter the rclone process, and a rotated refresh token is stored.
import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readBounded } from '../../core/bounded-body.ts'
import { CloudError } from './rclone/errors.ts'

export interface AccessToken {
  token: string
  /** The lifetime of the token in seconds. */
  expiresIn: number
}

export interface Broker {
  /**
   * Returns settings of a remote that gets its tokens from this broker, until `end`. `token` is
   * called with `again` if the provider may have refused the last token.
   */
  grant(token: (again: boolean) => Promise<AccessToken>): {
    settings: Readonly<Record<string, string>>
    end(): void
  }
  close(): Promise<void>
}

const MAX_BODY = 16_384

export async function openBroker(): Promise<Broker> {
  const grants = new Map<string, { asked: number; token(again: boolean): Promise<AccessToken> }>()
  const server = createServer((request, response) => {
    void answer(request, response).catch(() => response.destroy())
  })
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const reply = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    const form = new URLSearchParams(await textOf(request))
    const grant = grants.get(form.get('refresh_token') ?? '')
    if (!grant) return reply(400, { error: 'invalid_grant' })
    try {
      grant.asked += 1
      const { token, expiresIn } = await grant.token(grant.asked > 1)
      reply(200, { access_token: token, token_type: 'Bearer', expires_in: expiresIn })
    } catch (error) {
      const revoked = error instanceof CloudError && error.code === 'cloud_access_revoked'
      reply(revoked ? 400 : 503, { error: revoked ? 'invalid_grant' : 'temporarily_unavailable' })
    }
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  server.unref()
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`
  return {
    grant: (token) => {
      const nonce = randomBytes(32).toString('hex')
      grants.set(nonce, { asked: 0, token })
      const expired = {
        access_token: 'expired',
        token_type: 'Bearer',
        refresh_token: nonce,
        expiry: '2000-01-01T00:00:00Z',
      }
      return {
        settings: {
          TOKEN: JSON.stringify(expired),
          TOKEN_URL: url,
          CLIENT_ID: 'stevedore',
          CLIENT_SECRET: 'none',
        },
        end: () => void grants.delete(nonce),
      }
    },
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const bytes = await readBounded(request, MAX_BODY)
  if (bytes === null) throw new Error('too large')
  return bytes.toString()
}
