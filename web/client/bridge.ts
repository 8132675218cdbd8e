// The storefront's bridge script, as the page uses it: who is signed in, and short messages in the
// storefront's own frame.
import { t } from '../messages/t.ts'

interface Bridge {
  idToken(): Promise<string>
  toast?: { show(text: string): void }
}

declare global {
  interface Window {
    shopify?: Bridge
  }
}

const SIGN_IN_SECONDS = 15

/** Demo mode stands alone in the browser: it has a frame and a navigation of its own. */
export function isDemo(): boolean {
  const content =
    document.querySelector<HTMLMetaElement>('meta[name="stevedore-demo"]')?.content ?? ''
  return content === '1' || content === 'true'
}

/**
 * A fresh session token. Rejects when the page is outside the storefront's admin, where nobody ever
 * answers.
 */
export async function sessionToken(): Promise<string> {
  const bridge = window.shopify
  if (!bridge) throw new Error(t('The storefront’s bridge script is missing'))
  let timer: ReturnType<typeof setTimeout> | undefined
  const silence = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new Error(t('The storefront did not answer'))),
      SIGN_IN_SECONDS * 1000,
    )
  })
  try {
    return await Promise.race([bridge.idToken(), silence])
  } finally {
    clearTimeout(timer)
  }
}

/** Says something in passing, in the storefront's own manner. */
export const toast = (text: string): void => window.shopify?.toast?.show(text)
