// The token endpoints of all providers: refresh tokens, and the codes of sign-ins with PKCE.
import { createHash } from 'node:crypto'
import type { Answer, CloudRequest } from './account.ts'

export interface Grants {
  /** Access tokens that are accepted now. */
  tokens: Set<string>
  /** The valid refresh token; null: access was revoked. Each use replaces it. */
  refresh: string | null
}

/** The PKCE challenge of each sign-in address, by the code that was issued. */
const challenges = new Map<string, string>()

/** A person grants access: returns what the provider would send to the callback. */
export function agree(address: string): { code: string; state: string } {
  const { searchParams } = new URL(address)
  if (searchParams.get('code_challenge_method') !== 'S256') throw new Error('No PKCE')
  challenges.set('the-code', searchParams.get('code_challenge')!)
  return { code: 'the-code', state: searchParams.get('state')! }
}

/** A refresh token can be used once. */
export function token(grants: Grants, { body }: CloudRequest): Answer {
  const form = new URLSearchParams(body)
  const assertion = form.get('grant_type')?.includes('jwt-bearer')
  const code = form.get('grant_type') === 'authorization_code'
  if (code && form.get('code') !== 'the-code')
    return { status: 400, body: { error: 'invalid_grant' } }
  if (
    code &&
    createHash('sha256').update(form.get('code_verifier')!).digest('base64url') !==
      challenges.get('the-code')
  )
    return { status: 400, body: { error: 'invalid_grant' } }
  if (
    !assertion &&
    !code &&
    (grants.refresh === null || form.get('refresh_token') !== grants.refresh)
  )
    return { status: 400, body: { error: 'invalid_grant' } }
  const access = `access-canary-${grants.tokens.size}-${Date.now()}`
  grants.tokens.add(access)
  if (!assertion)
    grants.refresh = `refresh-canary-${Number(grants.refresh?.split('-').at(-1) ?? 0) + 1}`
  return {
    body: {
      access_token: access,
      token_type: 'bearer',
      expires_in: 3600,
      ...(assertion ? {} : { refresh_token: grants.refresh }),
    },
  }
}
