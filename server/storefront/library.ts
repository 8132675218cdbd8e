// Configures the platform's own library for this app.
import './operations.ts'
import { ApiVersion, LogSeverity, shopifyApi, type Shopify } from '@shopify/shopify-api'

export type Library = Shopify
export const ADMIN_API_VERSION = ApiVersion.October26

/** @param appUrl the app's public address. */
export function openLibrary(
  platform: { apiKey: string; apiSecret: string },
  appUrl: string,
): Library {
  const { host, protocol } = new URL(appUrl)
  return shopifyApi({
    apiKey: platform.apiKey,
    apiSecretKey: platform.apiSecret,
    apiVersion: ADMIN_API_VERSION,
    hostName: host,
    hostScheme: protocol === 'http:' ? 'http' : 'https',
    isEmbeddedApp: true,
    // The library's log may contain tokens; its errors are thrown in any case.
    logger: { level: LogSeverity.Error, log: () => {}, httpRequests: false, timestamps: false },
    _logDisabledFutureFlags: false,
  }) as Library
}
