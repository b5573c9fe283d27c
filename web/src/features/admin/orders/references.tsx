import { ExternalLink } from 'lucide-react'
import type { ProviderReference } from '@/api/types.gen'
import { Copyable } from '@/components/form/copyable'
import { adminOrder as texts } from '@/messages/admin-order'
import { common } from '@/messages/common'

/**
 * An order's references at the providers, with a link to each one's page where this installation has its
 * address.
 */
export function References({ references }: { references: readonly ProviderReference[] }) {
  return (
    <ul className="space-y-3 text-sm md:text-dense">
      {references.map((reference) => (
        <Reference
          key={`${reference.provider} ${reference.kind} ${reference.id}`}
          reference={reference}
          provider={texts.providers[reference.provider]}
        />
      ))}
    </ul>
  )
}

function Reference({ reference, provider }: { reference: ProviderReference; provider: string }) {
  const kind = texts.referenceKinds[reference.kind]
  return (
    <li className="min-w-0">
      <p className="flex flex-wrap items-baseline justify-between gap-x-4">
        <span className="font-medium">{kind}</span>
        {reference.url ? (
          <a
            href={reference.url}
            target="_blank"
            rel="noreferrer"
            className="inline-flex min-h-6 items-center gap-1 rounded-sm text-primary hover:underline"
          >
            {texts.openAt(provider)}
            <ExternalLink aria-hidden className="size-3.5" />
            <span className="sr-only">
              {kind} ({common.openInNewTab})
            </span>
          </a>
        ) : (
          <span className="text-muted-foreground">{provider}</span>
        )}
      </p>
      <Copyable text={reference.id} what={kind} />
    </li>
  )
}
