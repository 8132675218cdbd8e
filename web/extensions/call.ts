// Calls of the admin's extensions to the app's API: a relative address is the app's own, and the
// token is the one that the admin page sends.

export class CallError extends Error {}

interface Shopify {
  auth: { idToken(): Promise<string | null> }
}

/** The answer's JSON. Throws `CallError` with a sentence for a person, or null where none came. */
export async function callApp<T>(
  shopify: Shopify,
  path: string,
  { method = 'GET', body }: { method?: string; body?: object } = {},
): Promise<T> {
  const token = await shopify.auth.idToken()
  const response = await fetch(path, {
    method,
    headers: {
      authorization: `Bearer ${token ?? ''}`,
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const json = (await response.json().catch(() => ({}))) as { error?: { message?: string } }
  if (!response.ok) throw new CallError(json.error?.message ?? String(response.status))
  return json as T
}

/** What to show of an error. Null: the app did not answer. */
export const reasonOf = (error: unknown): string | null =>
  error instanceof CallError ? error.message : null
