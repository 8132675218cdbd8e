// Azure Blob Storage: the key of a storage account, and a container with a prefix.
import { field, folderRule, joined, textRule, type Provider } from './provider.ts'

export const azureBlob: Provider = {
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
