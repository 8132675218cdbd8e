// The complete list of providers: only these can be connected.
import path from 'node:path'
import { z } from 'zod'
import { sayPlain } from '../../../../plugins/contract/index.ts'
import { type Provider, joined, field, folderRule, textRule, type Values } from './provider.ts'
import { s3, endpointProblem, isLocal } from './s3.ts'

// The sample provider of demo mode: a folder in the data folder.

/** Exported for tests. */
export const demo: Provider = {
  id: 'demo',
  title: 'Sample folder',
  signIn: 'none',
  fields: [field('folder', 'Folder', 'Below demo-cloud. Empty: all of it.', { rule: folderRule })],
  nameOf: ({ folder }) => joined('Sample folder', folder),
  folder: (settings, demoFolder) => path.resolve(demoFolder, joined(settings.folder)),
}

// Google Drive: signing in, and a folder.

const googleDrive: Provider = {
  id: 'google_drive',
  title: 'Google Drive',
  signIn: 'oauth',
  oauth: {
    client: 'GOOGLE',
    authorize: 'https://accounts.google.com/o/oauth2/v2/auth',
    token: 'https://oauth2.googleapis.com/token',
    scopes: ['https://www.googleapis.com/auth/drive'],
    parameters: { access_type: 'offline', prompt: 'consent' },
  },
  fields: [
    field('folder', 'Folder', 'Its path in My Drive, like Shop/Manuals. Empty: all of it.', {
      rule: folderRule,
    }),
  ],
  nameOf: ({ folder }) => `Google Drive${folder ? `: ${joined(folder)}` : ''}`,
  remote: ({ settings }) => ({
    settings: {
      TYPE: 'drive',
      SCOPE: 'drive',
      SKIP_GDOCS: 'true',
      SKIP_DANGLING_SHORTCUTS: 'true',
    },
    root: joined(settings.folder),
    hash: 'md5',
    listing: [],
    fetching: {},
  }),
}

// Dropbox: signing in, and a folder.

const dropbox: Provider = {
  id: 'dropbox',
  title: 'Dropbox',
  signIn: 'oauth',
  oauth: {
    client: 'DROPBOX',
    authorize: 'https://www.dropbox.com/oauth2/authorize',
    token: 'https://api.dropboxapi.com/oauth2/token',
    scopes: [
      'files.metadata.read',
      'files.content.read',
      'files.metadata.write',
      'files.content.write',
    ],
    parameters: { token_access_type: 'offline' },
  },
  caseInsensitive: true,
  fields: [
    field('folder', 'Folder', 'Its path, like Shop/Manuals. Empty: all of it.', {
      rule: folderRule,
    }),
  ],
  nameOf: ({ folder }) => `Dropbox${folder ? `: ${joined(folder)}` : ''}`,
  remote: ({ settings }) => ({
    settings: { TYPE: 'dropbox' },
    root: joined(settings.folder),
    hash: 'dropbox',
    listing: [],
    fetching: {},
  }),
}

// Azure Blob Storage: the key of a storage account, and a container with a prefix.

const azureBlob: Provider = {
  id: 'azure_blob',
  title: 'Azure Blob Storage',
  signIn: 'keys',
  keyed: true,
  fields: [
    field('account', 'Storage account', 'Its name.', {
      required: true,
      rule: textRule(
        /^[a-z0-9]{3,24}$/,
        'Enter the name of a storage account: small letters and digits',
      ),
    }),
    field('secret_key', 'Account key', 'It is stored encrypted and not shown again.', {
      required: true,
      secret: true,
      rule: textRule(/^[A-Za-z0-9+/=]*$/, 'Enter one of the two keys of the account', 256),
    }),
    field('bucket', 'Container', 'Its name.', {
      required: true,
      rule: textRule(
        /^(\$root|[a-z0-9](-?[a-z0-9]){2,62})$/,
        'Enter the name of a container, like my-files',
      ),
    }),
    field('prefix', 'Prefix', 'Only blobs whose names begin with this folder, like manuals/.', {
      rule: folderRule,
    }),
  ],
  nameOf: ({ bucket, prefix }) => `Azure Blob Storage: ${joined(bucket, prefix)}`,
  remote: ({ settings, secrets }) => ({
    settings: {
      TYPE: 'azureblob',
      ACCOUNT: settings.account ?? '',
      KEY: secrets.secret_key ?? '',
    },
    root: joined(settings.bucket, settings.prefix),
    hash: 'md5',
    listing: ['--fast-list'],
    fetching: {},
  }),
}

// OneDrive and SharePoint libraries: signing in, a drive, and a folder in it.

const onedrive: Provider = {
  id: 'onedrive',
  title: 'OneDrive and SharePoint',
  signIn: 'oauth',
  oauth: {
    client: 'MICROSOFT',
    authorize: 'https://login.microsoftonline.com/common/oauth2/v2.0/authorize',
    token: 'https://login.microsoftonline.com/common/oauth2/v2.0/token',
    scopes: ['Files.ReadWrite.All', 'Sites.Read.All', 'offline_access'],
    parameters: {},
  },
  caseInsensitive: true,
  fields: [
    field(
      'drive_id',
      'Drive',
      'Of a SharePoint library: its drive id. Empty: the person’s own OneDrive.',
      {
        rule: textRule(/^[\w!-]*$/, 'Enter the id of a drive, like b!x1Y2z3', 200),
      },
    ),
    field('drive_type', 'Kind of drive', 'personal, business or documentLibrary.', {
      rule: textRule(
        /^(personal|business|documentLibrary)?$/,
        'Enter personal, business or documentLibrary',
      ),
    }),
    field('folder', 'Folder', 'Its path, like Shop/Manuals. Empty: all of it.', {
      rule: folderRule,
    }),
  ],
  nameOf: ({ folder }) => `OneDrive${folder ? `: ${joined(folder)}` : ''}`,
  discover: async (accessToken, get): Promise<Values> => {
    const headers = { authorization: `Bearer ${accessToken}` }
    const response = await get('https://graph.microsoft.com/v1.0/me/drive', { headers })
    if (!response.ok) return {}
    const drive = (await response.json()) as { id?: string; driveType?: string }
    return drive.id ? { drive_id: drive.id, drive_type: drive.driveType ?? 'personal' } : {}
  },
  remote: ({ settings }) => ({
    settings: {
      TYPE: 'onedrive',
      DRIVE_ID: settings.drive_id ?? '',
      DRIVE_TYPE: settings.drive_type || 'business',
    },
    root: joined(settings.folder),
    hash: 'quickxor',
    listing: [],
    fetching: {},
    // OneDrive and SharePoint add properties to Office documents after they have listed the size.
    approximate: true,
  }),
}

// Google Cloud Storage: the key of a service account, and a bucket with a prefix.

const isKey = (text: string): boolean => {
  try {
    const key = JSON.parse(text) as Record<string, unknown>
    return key.type === 'service_account' && typeof key.private_key === 'string'
  } catch {
    return false
  }
}

/** Keeps only the key: other fields contain addresses that could point anywhere. */
function credentials(text: string): string {
  const { client_email, private_key, private_key_id, project_id } = JSON.parse(text) as Record<
    string,
    string
  >
  return JSON.stringify({
    type: 'service_account',
    client_email,
    private_key,
    private_key_id,
    project_id,
    token_uri: 'https://oauth2.googleapis.com/token',
  })
}

const googleCloudStorage: Provider = {
  id: 'google_cloud_storage',
  title: 'Google Cloud Storage',
  signIn: 'keys',
  keyed: true,
  fields: [
    field('bucket', 'Bucket', 'Its name, without gs:// and without a folder.', {
      required: true,
      rule: textRule(
        /^[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]$/,
        'Enter the name of a bucket, like my-files',
      ),
    }),
    field('prefix', 'Prefix', 'Only objects whose names begin with this folder, like manuals/.', {
      rule: folderRule,
    }),
    field(
      'service_account',
      'Key of a service account',
      'The JSON file that the console gave you. It is stored encrypted.',
      {
        required: true,
        secret: true,
        multiline: true,
        rule: z
          .string()
          .max(8192, sayPlain('At most 8192 characters'))
          .refine(isKey, sayPlain('This is not the JSON key of a service account')),
      },
    ),
    field('endpoint', 'Endpoint', 'Leave it empty.'),
  ],
  nameOf: ({ bucket, prefix }) => `Google Cloud Storage: ${joined(bucket, prefix)}`,
  problem: ({ settings, place }) => {
    const { endpoint = '' } = settings
    if (endpoint === '') return null
    // Listings contain the addresses of the objects, so only our own emulator is trusted as another
    // endpoint.
    const message = isLocal(endpoint)
      ? endpointProblem(endpoint, place.allowLoopback)
      : 'Leave it empty: Google has one endpoint'
    return message === null ? null : { param: 'endpoint', message }
  },
  remote: ({ settings, secrets }) => ({
    settings: {
      TYPE: 'google cloud storage',
      SERVICE_ACCOUNT_CREDENTIALS: credentials(secrets.service_account ?? '{}'),
      BUCKET_POLICY_ONLY: 'true',
      NO_CHECK_BUCKET: 'true',
      ENDPOINT: settings.endpoint ?? '',
    },
    root: joined(settings.bucket, settings.prefix),
    hash: 'md5',
    listing: ['--fast-list'],
    fetching: {},
  }),
}

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
