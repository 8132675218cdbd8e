// The watermark of a pack’s documents: its own, or the shop’s.
import { ownValue } from '../../../plugins/_page/own-value.ts'
import { useState } from 'react'
import { toast } from '../../shell/client/bridge.ts'
import { useKnown } from '../../shell/client/edits.ts'
import { useChangeSettings, useSettings } from '../../shell/client/settings.ts'
import { type ShopSettings } from '../../shell/client/types.ts'
import { lazyPart } from '../../shell/components/lazy-part.tsx'
import { Dialog } from '../../shell/components/dialog.tsx'
import { LoadingRows } from '../../shell/components/lists.tsx'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { clearing, objectionsIn, problemsOf } from '../../shell/components/problems.ts'
import { t } from '../../shell/messages/t.ts'
import { BlockStack, Button, Card, Heading, Hint, InlineStack } from '../../shell/ui/index.ts'
import { watermarkProblems } from './settings-draft.ts'

const WatermarkForm = lazyPart(async () => (await import('./watermark-fields.tsx')).WatermarkForm, {
  fallback: <LoadingRows what={t('the settings')} />,
})
const WatermarkPreview = lazyPart(
  async () => (await import('./watermark-preview.tsx')).WatermarkPreview,
)

interface Pack {
  id: string
  name: string
}
type Mark = ShopSettings['watermark']

export function PackWatermark({ pack }: { pack: Pack }) {
  const settings = useSettings()
  const [editing, setEditing] = useState(false)
  const own = ownValue(settings.data?.pack_watermarks, pack.id) ?? null
  return (
    <Card>
      <BlockStack gap="300">
        <InlineStack align="space-between" blockAlign="center">
          <Heading>{t('Watermark')}</Heading>
          {settings.data && <Button onClick={() => setEditing(true)}>{t('Change')}</Button>}
        </InlineStack>
        <LoadProblem query={settings} what={t('The watermark could not be loaded')} />
        {settings.isPending && <LoadingRows rows={1} what={t('the watermark')} />}
        {settings.data && <Hint>{textOf(own, settings.data.watermark)}</Hint>}
        {own && <WatermarkPreview watermark={own} />}
      </BlockStack>
      {editing && settings.data && (
        <EditWatermark
          pack={pack}
          own={own}
          settings={settings.data}
          onClose={() => setEditing(false)}
        />
      )}
    </Card>
  )
}

function textOf(own: Mark, shops: Mark): string {
  if (own && shops) return t('PDF documents of this pack get this watermark instead of the shop’s.')
  if (own) return t('PDF documents of this pack get this watermark.')
  return shops
    ? t('PDF documents of this pack get the watermark of the shop.')
    : t('PDF documents of this pack get no watermark: neither the pack nor the shop has one.')
}

interface EditProps {
  pack: Pack
  own: Mark
  settings: ShopSettings
  onClose: () => void
}

/** The watermarks of all packs, with this one for the pack; null: it has the shop’s. */
const withMark = (
  { pack_watermarks }: ShopSettings,
  pack: string,
  mark: Mark,
): ShopSettings['pack_watermarks'] => {
  const others = Object.entries(pack_watermarks).filter(([id]) => id !== pack)
  return Object.fromEntries(mark ? [...others, [pack, mark]] : others)
}

/** A choice that was made and not filled in. */
const empty = (mark: Mark) => watermarkProblems({ watermark: mark })

/** The server names the pack of each problem; the form has only one watermark. */
const placedIn = (error: Error | null, pack: string) =>
  objectionsIn(error).map(({ param, ...said }) => ({
    ...said,
    param: param.replace(`pack_watermarks.${pack}`, 'watermark'),
  }))

function EditWatermark({ pack, own, settings, onClose }: EditProps) {
  const change = useChangeSettings(useKnown(settings))
  const [mark, setMark] = useState<Mark>(own)
  return (
    <Dialog
      title={t('Watermark of {name}', { name: pack.name })}
      onClose={onClose}
      primaryAction={{
        content: t('Save'),
        loading: change.isPending,
        disabled: empty(mark).length > 0,
        onAction: () =>
          change.mutate(
            { pack_watermarks: withMark(settings, pack.id, mark) },
            {
              onSuccess: () => {
                toast(t('Watermark saved'))
                onClose()
              },
            },
          ),
      }}
    >
      <BlockStack gap="400">
        {change.error && (
          <Problem error={change.error} what={t('The watermark could not be saved')} />
        )}
        <WatermarkForm
          none={settings.watermark ? t('The shop’s watermark') : t('None, like the shop')}
          value={mark}
          problems={problemsOf(empty(mark), placedIn(change.error, pack.id))}
          onChange={clearing(change, setMark)}
        />
      </BlockStack>
    </Dialog>
  )
}
