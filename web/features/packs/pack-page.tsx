// One pack: its files in their order, its products, its links.
import { useState } from 'react'
import { navigate } from 'wouter/use-browser-location'
import { useKnown } from '../../shell/client/edits.ts'
import { toast } from '../../shell/client/bridge.ts'
import { type LoadedQuery } from '../../shell/client/together.ts'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { UnloadedPage } from '../../shell/components/unloaded-page.tsx'
import { type Pack, useChangePack, usePack } from './calls.ts'
import { Page } from '../../shell/components/page.tsx'
import { lastSeen } from '../../shell/url-state/use-url-state.ts'
import { BlockStack, Layout } from '../../shell/ui/index.ts'
import { sizeText } from '../../shell/labels/size.ts'
import { LinksCard } from '../links/links-card.tsx'
import { PackWatermark } from '../settings/pack-watermark.tsx'
import { CreatePackLink } from './create-pack-link.tsx'
import { DeletePack } from './delete-pack.tsx'
import { NameDialog } from './name-dialog.tsx'
import { PackFiles } from './pack-files.tsx'
import { PackProducts } from './pack-products.tsx'
import './packs.css'
import { t } from '../../shell/messages/t.ts'

export function PackPage({ id }: { id: string }) {
  const pack = usePack(id)
  const back = { content: t('Packs'), url: lastSeen('/packs') }
  if (pack.data) return <Whole pack={pack.data} query={pack} back={back} />
  return (
    <UnloadedPage
      query={pack}
      back={back}
      title={t('Pack')}
      what={t('the pack')}
      problem={t('The pack could not be loaded')}
      missing={{
        title: t('Pack not found'),
        heading: t('This pack doesn’t exist'),
        action: t('Go to packs'),
        hint: t('It may have been deleted.'),
      }}
    />
  )
}

interface WholeProps {
  pack: Pack
  query: LoadedQuery
  back: { content: string; url: string }
}

function Whole({ pack, query, back }: WholeProps) {
  const [asking, setAsking] = useState<'name' | 'link' | 'delete' | null>(null)
  const close = () => setAsking(null)
  return (
    <Page
      title={pack.name}
      subtitle={t('{files, plural, one {# file} other {# files}}, {size}', {
        files: pack.files,
        size: sizeText(pack.size_bytes),
      })}
      backAction={back}
      primaryAction={
        pack.files > 0
          ? { content: t('Create link'), onAction: () => setAsking('link') }
          : undefined
      }
      secondaryActions={[
        { content: t('Rename'), onAction: () => setAsking('name') },
        { content: t('Delete'), destructive: true, onAction: () => setAsking('delete') },
      ]}
    >
      <Layout>
        {query.error && (
          <Layout.Section variant="fullWidth">
            <LoadProblem query={query} what="" />
          </Layout.Section>
        )}
        <Layout.Section>
          <BlockStack gap="400">
            <PackFiles pack={pack} />
            <LinksCard
              of={{ pack_id: pack.id }}
              nothing={
                pack.files > 0
                  ? t(
                      'No links yet. A link shows one buyer all files of this pack, each to be downloaded.',
                    )
                  : t('Links can be created when there are files in this pack.')
              }
              onCreate={pack.files > 0 ? () => setAsking('link') : null}
            />
          </BlockStack>
        </Layout.Section>
        <Layout.Section variant="oneThird">
          <BlockStack gap="400">
            <PackProducts pack={pack} />
            <PackWatermark pack={pack} />
          </BlockStack>
        </Layout.Section>
      </Layout>
      {asking === 'name' && <Rename pack={pack} onClose={close} />}
      {asking === 'link' && <CreatePackLink pack={pack} onClose={close} />}
      {asking === 'delete' && (
        <DeletePack pack={pack} onClose={close} onDeleted={() => navigate('/packs')} />
      )}
    </Page>
  )
}

function Rename({ pack, onClose }: { pack: Pack; onClose: () => void }) {
  const change = useChangePack(pack.id, useKnown(pack))
  const [name, setName] = useState(pack.name)
  return (
    <NameDialog
      title={t('Rename {name}', { name: pack.name })}
      save={t('Rename')}
      name={name}
      saving={change.isPending}
      error={change.error}
      onChange={(text) => {
        setName(text)
        change.reset()
      }}
      onSave={() =>
        change.mutate(
          { name: name.trim() },
          {
            onSuccess: () => {
              toast(t('Pack renamed'))
              onClose()
            },
          },
        )
      }
      onClose={onClose}
    />
  )
}
