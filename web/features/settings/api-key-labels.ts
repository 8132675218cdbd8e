// Texts about API keys and their scopes.
import { type ApiKey, type Scope } from './api-key-calls.ts'
import { momentText } from '../../shell/labels/time.ts'
import { t } from '../../shell/messages/t.ts'

/** Every scope with what a key may do with it. */
export const SCOPES: readonly { scope: Scope; text: string }[] = [
  { scope: 'files:read', text: t('Read files, their bytes, packs and tags') },
  { scope: 'files:write', text: t('Change files, packs and tags') },
  { scope: 'files:delete', text: t('Move files to the trash') },
  { scope: 'files:purge', text: t('Delete files permanently') },
  { scope: 'imports:write', text: t('Import files') },
  { scope: 'links:write', text: t('Create and view download links') },
  { scope: 'operations:read', text: t('Read operations and their results') },
  { scope: 'operations:write', text: t('Pause, cancel, retry and undo operations') },
  { scope: 'drop:read', text: t('Read the drop folder, its accounts and connections') },
  { scope: 'drop:write', text: t('Change the drop folder and its accounts, and import from it') },
  { scope: 'cloud:read', text: t('Read cloud connections and their syncs') },
  { scope: 'cloud:write', text: t('Change cloud connections and sync them') },
  { scope: 'settings:write', text: t('Change settings, workflows, schedules and API keys') },
]

/** The scopes of a storefront tool that imports files and creates links. */
export const USUAL_SCOPES: readonly Scope[] = [
  'files:read',
  'files:write',
  'imports:write',
  'links:write',
  'operations:read',
]

/** Chosen values of a form, as scopes in their usual order. */
export const chosenScopes = (chosen: readonly string[]): Scope[] =>
  SCOPES.map(({ scope }) => scope).filter((scope) => chosen.includes(scope))

type Times = Pick<ApiKey, 'expires_at' | 'revoked_at'>

export function keyStatus({ expires_at, revoked_at }: Times, now: Date) {
  if (revoked_at !== null) return { text: t('Revoked'), tone: undefined } as const
  if (expires_at !== null && new Date(expires_at) <= now)
    return { text: t('Expired'), tone: 'warning' } as const
  return { text: t('Active'), tone: 'success' } as const
}

export const lastUsedText = (
  { last_used_at }: Pick<ApiKey, 'last_used_at'>,
  locale?: string,
): string => (last_used_at === null ? t('Never') : momentText(last_used_at, locale))

export const keyExpiryText = (
  { expires_at }: Pick<ApiKey, 'expires_at'>,
  locale?: string,
): string => (expires_at === null ? t('Never') : momentText(expires_at, locale))
