// The complete list of providers: only these can be connected.
import { azureBlob } from './azure-blob.ts'
import { demo } from './demo.ts'
import { dropbox } from './dropbox.ts'
import { googleCloudStorage } from './google-cloud-storage.ts'
import { googleDrive } from './google-drive.ts'
import { onedrive } from './onedrive.ts'
import type { Provider } from './provider.ts'
import { s3 } from './s3.ts'

export const PROVIDERS: readonly Provider[] = [
  googleDrive,
  dropbox,
  onedrive,
  s3,
  googleCloudStorage,
  azureBlob,
  demo,
]
export const PROVIDER_IDS = PROVIDERS.map(({ id }) => id)

/** The provider of a connection, which was checked when the connection was created. */
export const providerOf = (id: string): Provider => {
  const found = PROVIDERS.find((provider) => provider.id === id)
  if (!found) throw new Error(`There is no provider ${id}`)
  return found
}
