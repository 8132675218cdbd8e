// What a connection has access to, and its folder.
import { useState } from 'react'
import { ownValue } from '../../../plugins/_page/own-value.ts'
import { Facts } from '../../shell/components/facts.tsx'
import { Titled } from '../../shell/components/titled.tsx'
import { t } from '../../shell/messages/t.ts'
import { Button, InlineStack, Hint, Text } from '../../shell/ui/index.ts'
import { useKnown } from '../../shell/client/edits.ts'
import { toast } from '../../shell/client/bridge.ts'
import { Dialog } from '../../shell/components/dialog.tsx'
import { LoadingRows } from '../../shell/components/lists.tsx'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { type Connection, type Provider, useChangeConnection, useFolders } from './calls.ts'

interface Props {
  connection: Connection
  provider: Provider
  onEdit: () => void
}

export function AccessCard({ connection, provider, onEdit }: Props) {
  const { settings, state } = connection
  const [picking, setPicking] = useState(false)
  const field = folderField(provider)
  const whole = field === 'prefix' ? t('The whole bucket') : t('The whole account')
  const rows = provider.fields
    .filter(({ name, secret }) => !secret && name !== field && ownValue(settings, name))
    .map(
      ({ name, title }) => [title, shownValue(provider, name, ownValue(settings, name)!)] as const,
    )
  return (
    <Titled
      title={t('Folder')}
      help={
        field && state === 'unauthorized'
          ? t('It can be chosen once you have signed in at the provider.')
          : t('All files in it and in the folders below it are synced.')
      }
      action={
        <InlineStack gap="200">
          <Button onClick={onEdit}>{t('Change access')}</Button>
          {field && state !== 'unauthorized' && (
            <Button onClick={() => setPicking(true)}>{t('Choose a folder')}</Button>
          )}
        </InlineStack>
      }
    >
      <Facts
        rows={[...(field ? [[t('Folder'), settings[field] || whole] as const] : []), ...rows]}
      />
      {picking && field && (
        <FolderPicker connection={connection} field={field} onClose={() => setPicking(false)} />
      )}
    </Titled>
  )
}

/** A preset is shown by its title, other values as they are. */
const shownValue = ({ presets }: Provider, name: string, value: string): string =>
  name === 'preset' ? (presets.find(({ id }) => id === value)?.title ?? value) : value

const folderField = ({ fields }: Provider): 'folder' | 'prefix' | null =>
  fields.some(({ name }) => name === 'folder')
    ? 'folder'
    : fields.some(({ name }) => name === 'prefix')
      ? 'prefix'
      : null

// Chooses a folder at the provider, read from it level by level.

interface FolderPickerProps {
  connection: Connection
  /** The setting for the folder: `folder`, or a bucket's `prefix`. */
  field: 'folder' | 'prefix'
  onClose: () => void
}

const trimmed = (path: string): string => path.replace(/^\/+|\/+$/g, '')

function FolderPicker({ connection, field, onClose }: FolderPickerProps) {
  const { id, provider_title, settings } = connection
  const [path, setPath] = useState(() => trimmed(settings[field] ?? ''))
  const folders = useFolders(id, path)
  const change = useChangeConnection(id, useKnown(connection))
  const choose = () =>
    change.mutate(
      { [field]: path },
      {
        onSuccess: () => {
          toast(t('Folder chosen'))
          onClose()
        },
      },
    )
  const list = folders.data?.data
  return (
    <Dialog
      title={t('Choose a folder')}
      onClose={onClose}
      primaryAction={{
        content: t('Choose this folder'),
        loading: change.isPending,
        disabled: folders.isError,
        onAction: choose,
      }}
    >
      {change.error && <Problem error={change.error} what={t('The folder could not be chosen')} />}
      <Trail path={path} root={provider_title} onGo={setPath} />
      <LoadProblem query={folders} what={t('The folders could not be read')} />
      {folders.isFetching && !list && <LoadingRows rows={3} what={t('folders')} />}
      {list?.length === 0 && <Hint>{t('There are no folders in it.')}</Hint>}
      {connection.progress && (
        <Text as="p">{t('Another folder cancels the sync that is running now.')}</Text>
      )}
      {list && list.length > 0 && <FolderList folders={list} onGo={setPath} />}
    </Dialog>
  )
}

interface FolderListProps {
  folders: readonly { path: string; name: string }[]
  onGo: (path: string) => void
}

const FolderList = ({ folders, onGo }: FolderListProps) => (
  <ul className="folders" aria-label={t('Folders')}>
    {folders.map(({ path, name }) => (
      <li key={path}>
        <button type="button" onClick={() => onGo(path)}>
          {name}
        </button>
      </li>
    ))}
  </ul>
)

/** The parent folders, as links. */
function Trail({ path, root, onGo }: { path: string; root: string; onGo: (path: string) => void }) {
  const parts = path === '' ? [] : path.split('/')
  const places = [
    { name: root, path: '' },
    ...parts.map((name, at) => ({ name, path: parts.slice(0, at + 1).join('/') })),
  ]
  return (
    <nav aria-label={t('Path')}>
      <InlineStack gap="100" blockAlign="center">
        {places.map((place, at) =>
          at === places.length - 1 ? (
            <Text key={place.path} as="span" fontWeight="semibold" breakWord>
              {place.name}
            </Text>
          ) : (
            <InlineStack key={place.path} gap="100" blockAlign="center">
              <Button variant="plain" onClick={() => onGo(place.path)}>
                {place.name}
              </Button>
              <span aria-hidden="true">/</span>
            </InlineStack>
          ),
        )}
      </InlineStack>
    </nav>
  )
}
