// Google Drive: signing in, and a folder.
import { field, folderRule, joined, type Provider } from './provider.ts'

export const googleDrive: Provider = {
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
