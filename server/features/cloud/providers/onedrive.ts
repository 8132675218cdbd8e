// OneDrive and SharePoint libraries: signing in, a drive, and a folder in it.
import { field, folderRule, joined, textRule, type Provider, type Values } from './provider.ts'

export const onedrive: Provider = {
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
