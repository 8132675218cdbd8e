// One pack: its files in their order, its products, its links.
import { Suspense, useState } from 'react'
import { useFeatures } from '../../shell/feature.ts'
import { navigate } from 'wouter/use-browser-location'
import { useKnown } from '../../shell/client/edits.ts'
import { toast } from '../../shell/client/bridge.ts'
import { ApiError } from '../../shell/client/error.ts'
import { Unloaded } from '../../shell/components/unloaded.tsx'
import { type Pack, useChangePack, usePack } from './calls.ts'
import { Nothing } from '../../shell/components/lists.tsx'
import { Page } from '../../shell/components/page.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { lastSeen } from '../../shell/url-state/use-url-state.ts'
import { BlockStack, Card, Layout } from '../../shell/ui/index.ts'
import { sizeText } from '../../shell/labels/size.ts'
import { LinksCard } from '../links/links-card.tsx'
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
  if (pack.data)
    return (
      <Whole pack={pack.data} stale={pack.error} retry={() => void pack.refetch()} back={back} />
    )
  const gone = pack.error instanceof ApiError && pack.error.status === 404
  return (
    <Page title={gone ? t('Pack not found') : t('Pack')} backAction={back}>
      {gone ? (
        <Card>
          <Nothing
            why="unmatched"
            heading={t('This pack doesn’t exist')}
            action={{ content: t('Go to packs'), url: '/packs' }}
          >
            {t('It may have been deleted.')}
          </Nothing>
        </Card>
      ) : (
        <Unloaded
          query={pack}
          what={t('the pack')}
          problem={t('The pack could not be loaded')}
          rows={5}
        />
      )}
    </Page>
  )
}

interface WholeProps {
  pack: Pack
  stale: Error | null
  retry: () => void
  back: { content: string; url: string }
}

function Whole({ pack, stale, retry, back }: WholeProps) {
  const cards = useFeatures().flatMap(({ packCards = [] }) => packCards)
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
      primaryAction={{
        content: t('Create link'),
        onAction: () => setAsking('link'),
        disabled: pack.files === 0,
      }}
      secondaryActions={[
        { content: t('Rename'), onAction: () => setAsking('name') },
        { content: t('Delete'), destructive: true, onAction: () => setAsking('delete') },
      ]}
    >
      <Layout>
        {stale && (
          <Layout.Section variant="fullWidth">
            <Problem stale error={stale} what="" onRetry={retry} />
          </Layout.Section>
        )}
        <Layout.Section>
          <BlockStack gap="400">
            <PackFiles pack={pack} />
            <LinksCard
              of={{ pack_id: pack.id }}
              nothing={t(
                'No links yet. A link shows one buyer all files of this pack, each to be downloaded.',
              )}
              onCreate={() => setAsking('link')}
              disabled={pack.files === 0}
            />
          </BlockStack>
        </Layout.Section>
        <Layout.Section variant="oneThird">
          <BlockStack gap="400">
            <PackProducts pack={pack} />
            {cards.map((Shown, at) => (
              <Suspense key={at}>
                <Shown pack={pack} />
              </Suspense>
            ))}
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
