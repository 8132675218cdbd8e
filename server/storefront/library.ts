// The platform's own library, set up for this app.
import './transport.ts'
import { ApiVersion, LogSeverity, shopifyApi, type Shopify } from '@shopify/shopify-api'

export type Library = Shopify
const API_VERSION = ApiVersion.October26

/** @param appUrl the app's public address. */
export function openLibrary(
  platform: { apiKey: string; apiSecret: string },
  appUrl: string,
): Library {
  const { host, protocol } = new URL(appUrl)
  return shopifyApi({
    apiKey: platform.apiKey,
    apiSecretKey: platform.apiSecret,
    apiVersion: API_VERSION,
    hostName: host,
    hostScheme: protocol === 'http:' ? 'http' : 'https',
    isEmbeddedApp: true,
    // What it would log may carry a token; what matters of it is thrown.
    logger: { level: LogSeverity.Error, log: () => {}, httpRequests: false, timestamps: false },
    _logDisabledFutureFlags: false,
  }) as Library
}
