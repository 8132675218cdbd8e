// Google Cloud Storage: the key of a service account, and a bucket with a prefix.
import { sayPlain } from '../../../../plugins/contract.ts'
import { z } from 'zod'
import { endpointProblem, isLocal } from './s3.ts'
import { field, folderRule, joined, textRule, type Provider } from './provider.ts'

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

export const googleCloudStorage: Provider = {
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
