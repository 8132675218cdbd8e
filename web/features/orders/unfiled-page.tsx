// Products that were sold as downloads and have no file.
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { LoadingRows, Nothing } from '../../shell/components/lists.tsx'
import { Page } from '../../shell/components/page.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { Titled } from '../../shell/components/titled.tsx'
import { dayText } from '../../shell/labels/time.ts'
import { t } from '../../shell/messages/t.ts'
import { BlockStack, Button, Card, Hint, InlineStack, Text } from '../../shell/ui/index.ts'
import { type UnfiledProduct, useDismissUnfiled, useUnfiled } from './calls.ts'

export function UnfiledPage() {
  const list = useUnfiled()
  const products = list.data?.data
  const dismiss = useDismissUnfiled()
  const undone = dismiss.variables
  return (
    <Page
      title={t('Products without a file')}
      subtitle={t('Sold as downloads in the last 90 days: their buyers got nothing')}
      backAction={{ content: t('Home'), url: '/' }}
    >
      <BlockStack gap="400">
        <LoadProblem query={list} what={t('The products could not be loaded')} />
        {dismiss.error && <Problem error={dismiss.error} what={t('This could not be saved')} />}
        {dismiss.isSuccess && undone?.dismissed && (
          <Card>
            <InlineStack gap="300" blockAlign="center">
              <Text as="p">
                {t('{product} is not listed any more.', { product: undone.title })}
              </Text>
              <Button onClick={() => dismiss.mutate({ ...undone, dismissed: false })}>
                {t('Undo')}
              </Button>
            </InlineStack>
          </Card>
        )}
        {list.isPending && (
          <Card padding="0">
            <LoadingRows rows={3} what={t('the products')} />
          </Card>
        )}
        {products?.length === 0 && (
          <Card>
            <Nothing why="new" heading={t('Every product that sells has a file')}>
              {t('When a product that needs no shipping is sold without a file, it is shown here.')}
            </Nothing>
          </Card>
        )}
        {products?.map((one) => (
          <Product
            key={one.product_id}
            about={one}
            onDismiss={() => dismiss.mutate({ ...one, dismissed: true })}
          />
        ))}
      </BlockStack>
    </Page>
  )
}

function Product({ about, onDismiss }: { about: UnfiledProduct; onDismiss: () => void }) {
  const { title } = about
  return (
    <Titled title={title}>
      <BlockStack gap="300">
        <Hint>{t('Last sold on {date}', { date: dayText(about.last_sold_at.slice(0, 10)) })}</Hint>
        <InlineStack gap="200">
          <Button
            variant="primary"
            url="/import/upload"
            accessibilityLabel={t('Upload files for {product}', { product: title })}
          >
            {t('Upload files')}
          </Button>
          <Button
            url="/files?mapped=false"
            accessibilityLabel={t('Choose files for {product}', { product: title })}
          >
            {t('Map files')}
          </Button>
          <Button
            onClick={onDismiss}
            accessibilityLabel={t('{product} is no download', { product: title })}
          >
            {t('Not a download')}
          </Button>
        </InlineStack>
      </BlockStack>
    </Titled>
  )
}
