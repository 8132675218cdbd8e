// Dropbox: signing in, and a folder.
import { field, folderRule, joined, type Provider } from './provider.ts'

export const dropbox: Provider = {
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
