// The storefront admin's bridge script (App Bridge), as the page uses it: sign-in, toasts, the bar
// for unsaved changes, questions, the menu, and web vitals. Any part may be missing: then the page
// uses its own.
import { t } from '../messages/t.ts'
import { type Schemas } from './types.ts'

/** The bar in the admin's frame, drawn from a `<ui-save-bar>` of the page. */
export interface AdminSaveBar {
  show(id: string): Promise<void>
  hide(id: string): Promise<void>
  /** Asks whether unsaved changes may be lost; resolves or rejects with the answer. */
  leaveConfirmation(): Promise<void>
}

/** Modals in the admin's frame, drawn from `<ui-modal>` elements of the page. */
export interface AdminModals {
  show(id: string): Promise<void>
  hide(id: string): Promise<void>
}

export type WebVital = Schemas['WebVitals']['metrics'][number]

interface Bridge {
  idToken(): Promise<string>
  environment?: { embedded?: boolean }
  toast?: { show(text: string, options?: { isError?: boolean }): void }
  saveBar?: AdminSaveBar
  modal?: AdminModals
  scopes?: { request(scopes: string[]): Promise<{ result: 'granted-all' | 'declined-all' }> }
  webVitals?: {
    onReport(callback: (report: { metrics: readonly WebVital[] }) => void): unknown
  }
}

declare global {
  interface Window {
    shopify?: Bridge
  }
}

const SIGN_IN_SECONDS = 15

/** Demo mode sends no request to other hosts. */
export function isDemo(): boolean {
  const content =
    document.querySelector<HTMLMetaElement>('meta[name="stevedore-demo"]')?.content ?? ''
  return content === '1' || content === 'true'
}

/**
 * Inside the admin's frame, the admin draws the menu; otherwise the page does. Demo mode is usually
 * outside.
 */
export const hasAdminFrame = (): boolean => window.shopify?.environment?.embedded ?? !isDemo()

/** Undefined: the page draws its own. */
export const adminSaveBar = (): AdminSaveBar | undefined => window.shopify?.saveBar

/** Undefined: the page draws its own, as it does outside the admin's frame. */
export const adminModals = (): AdminModals | undefined =>
  hasAdminFrame() ? window.shopify?.modal : undefined

/** Calls back with the admin's measurements, if it has any. */
export const onWebVitals = (report: (metrics: readonly WebVital[]) => void): void =>
  void window.shopify?.webVitals?.onReport(({ metrics }) => report(metrics))

/**
 * Asks the merchant to allow an optional scope; resolves with whether it is. Null: there is no admin
 * that could ask.
 */
export function askForScope(scope: string): (() => Promise<boolean>) | null {
  const scopes = window.shopify?.scopes
  if (!scopes) return null
  return async () => {
    const { result } = await scopes.request([scope]).catch(() => ({ result: null }))
    return result === 'granted-all'
  }
}

/** False: the page is outside the storefront's admin. */
export const hasBridge = (): boolean => window.shopify !== undefined

/**
 * A fresh session token. Rejects if the page is outside the storefront's admin, where no answer
 * would come.
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

/** Shows a short message (a toast) in the storefront's own style. */
export const toast = (text: string): void => window.shopify?.toast?.show(text)

/** The toast of a failure. */
export const failureToast = (text: string): void =>
  window.shopify?.toast?.show(text, { isError: true })
