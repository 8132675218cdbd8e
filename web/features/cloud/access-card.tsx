// What a connection has access to, and its folder.
import { ownValue } from '../../../plugins/_page/own-value.ts'
import { useState } from 'react'
import { type Connection, type Provider } from './calls.ts'
import { Facts } from '../../shell/components/facts.tsx'
import { Titled } from '../../shell/components/titled.tsx'
import { t } from '../../shell/messages/t.ts'
import { Button, InlineStack } from '../../shell/ui/index.ts'
import { FolderPicker } from './folder-picker.tsx'

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
