// Scopes that depend on what is asked for, beyond the one that the endpoint itself needs.
import { AppError } from '../errors.ts'
import type { Caller, Scope } from './endpoint.ts'

/** Throws `missing_scope` that names the first one missing. */
export function requireScopes(caller: Caller, scopes: readonly Scope[]): void {
  const missing = scopes.find((scope) => !caller.scopes.has(scope))
  if (missing)
    throw new AppError('missing_scope', { message: `Permission denied: this key lacks the scope ${missing}` })
}
