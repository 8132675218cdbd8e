// The providers to choose from; one that the operator has not configured says so.
import { type Provider } from './calls.ts'
import { messageText } from '../../shell/messages/server-text.ts'
import { t } from '../../shell/messages/t.ts'
import { BlockStack, Button, Card, Hint, Text } from '../../shell/ui/index.ts'

interface Props {
  providers: readonly Provider[]
  onChoose: (provider: Provider) => void
}

export function ProviderList({ providers, onChoose }: Props) {
  return (
    <Card>
      <ul className="providers" aria-label={t('Providers')}>
        {providers.map((provider) => (
          <li
            key={provider.id}
            className={provider.available ? 'provider' : 'provider unavailable'}
          >
            <About provider={provider} />
            {provider.available && (
              <Button
                accessibilityLabel={t('Connect {provider}', { provider: provider.title })}
                onClick={() => onChoose(provider)}
              >
                {t('Connect')}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Card>
  )
}

const HOW: Record<Provider['sign_in'], string> = {
  oauth: t('You sign in at the provider.'),
  keys: t('You enter an access key.'),
  none: t('A folder of this server, to try a sync without an account.'),
}

function About({ provider: { title, sign_in, message, message_text } }: { provider: Provider }) {
  return (
    <BlockStack gap="100">
      <Text as="h2" variant="headingSm">
        {title}
      </Text>
      <Hint>{HOW[sign_in]}</Hint>
      {message !== null && <Text as="p">{messageText({ message, message_text })}</Text>}
    </BlockStack>
  )
}
