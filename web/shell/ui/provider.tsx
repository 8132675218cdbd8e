// Configures the components: their texts, their styles, and links that stay within the page.
import { AppProvider, type AppProviderProps } from '@shopify/polaris'
import '@shopify/polaris/build/esm/styles.css'
import { type ComponentProps, forwardRef, type MouseEvent, type ReactNode } from 'react'
import { Link } from 'wouter'
import { uiTexts } from './texts.ts'
import './ui.css'

type AnchorProps = ComponentProps<NonNullable<AppProviderProps['linkComponent']>>

export const PageLink = forwardRef<HTMLAnchorElement, Omit<AnchorProps, 'ref'>>(function PageLink(
  { url, external, target, children, ...rest },
  ref,
) {
  const elsewhere = external || (target !== undefined && target !== '_self') || !url.startsWith('/')
  if (!elsewhere && rest.download === undefined)
    return (
      <Link
        ref={ref}
        href={url}
        {...withoutHref(rest)}
        {...('data-primary-link' in rest ? onItsOwn(rest) : {})}
      >
        {children}
      </Link>
    )
  const aside = external || target === '_blank'
  return (
    <a
      ref={ref}
      href={url}
      target={aside ? '_blank' : target}
      rel={aside ? 'noopener noreferrer' : undefined}
      {...rest}
    >
      {children}
    </a>
  )
})

export function UiProvider({ children }: { children: ReactNode }) {
  return (
    <AppProvider i18n={uiTexts()} linkComponent={PageLink}>
      {children}
    </AppProvider>
  )
}

/**
 * A table's row forwards a click to its main link: a click on the link itself must not be forwarded
 * again.
 */
function onItsOwn({ onClick }: Pick<ComponentProps<'a'>, 'onClick'>) {
  return {
    onClick: (event: MouseEvent<HTMLAnchorElement>) => {
      event.stopPropagation()
      onClick?.(event)
    },
  }
}

function withoutHref({ href: _href, ...rest }: ComponentProps<'a'>) {
  return rest
}
