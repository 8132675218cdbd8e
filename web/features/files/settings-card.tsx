// The settings of a file on its page: in sentences, with the rare ones in a folded list.
import { useId, useState } from 'react'
import { type FileDetail } from '../../shell/client/types.ts'
import { Facts } from '../../shell/components/facts.tsx'
import { lazyPart } from '../../shell/components/lazy-part.tsx'
import { Titled } from '../../shell/components/titled.tsx'
import { t } from '../../shell/messages/t.ts'
import { BlockStack, Button, Text } from '../../shell/ui/index.ts'
import { otherSettings, settingSentences } from './settings-sentences.ts'

const EditSettings = lazyPart(async () => (await import('./edit-settings.tsx')).EditSettings, {
  as: 'dialog',
})

export function SettingsCard({ file }: { file: FileDetail }) {
  const [editing, setEditing] = useState(false)
  const [open, setOpen] = useState(false)
  const list = useId()
  return (
    <Titled
      title={t('Settings')}
      action={
        <Button accessibilityLabel={t('Change the settings')} onClick={() => setEditing(true)}>
          {t('Change')}
        </Button>
      }
    >
      <BlockStack gap="200">
        {settingSentences(file).map((sentence) => (
          <Text key={sentence} as="p">
            {sentence}
          </Text>
        ))}
      </BlockStack>
      <div>
        <Button
          variant="plain"
          ariaExpanded={open}
          ariaControls={list}
          onClick={() => setOpen(!open)}
        >
          {open ? t('Fewer settings') : t('More settings')}
        </Button>
      </div>
      <div id={list} hidden={!open}>
        <Facts rows={otherSettings(file)} />
      </div>
      {editing && <EditSettings file={file} onClose={() => setEditing(false)} />}
    </Titled>
  )
}
