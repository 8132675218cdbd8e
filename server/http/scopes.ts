// Scopes that depend on the request, in addition to the endpoint's own scope.
import { say, type Entry } from '../../plugins/contract.ts'
import { scopesOfConflict } from '../engine/moves.ts'
import { AppError } from '../core/errors.ts'
import type { Caller, Scope } from './endpoint.ts'

/** `Permission denied`, as the specification words it; its detail names the missing scope. */
export const missingScope = (missing: string) =>
  new AppError('missing_scope', {
    details: [
      {
        param: 'scope',
        code: 'missing_scope',
        message: say('This key lacks the scope {missing}', { missing }),
      },
    ],
  })

/** Throws `missing_scope`, which names the first missing one. */
export function requireScopes(caller: Caller, scopes: readonly Scope[]): void {
  const missing = scopes.find((scope) => !caller.scopes.has(scope))
  if (missing) throw missingScope(missing)
}

/**
 * What an import needs in addition to `imports:write`: replacing the bytes of files changes them.
 */
export const requireImportScopes = (caller: Caller, onConflict: Entry['on_conflict']): void =>
  requireScopes(caller, scopesOfConflict(onConflict))
