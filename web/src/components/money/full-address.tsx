import { groupsOfFour } from '@/lib/format'
import { networkNames } from '@/messages/common'

/**
 * A whole address for the confirmation: groups of four, never cut, with its network. Copied, it has no
 * spaces.
 */
export function FullAddress({ address, network }: { address: string; network: string }) {
  return (
    <>
      <code
        data-testid="full-address"
        className="mt-1 block rounded-md bg-muted p-3 font-mono text-base leading-7 wrap-anywhere"
      >
        {groupsOfFour(address).map((group, index) => (
          <span
            // biome-ignore lint/suspicious/noArrayIndexKey: the groups of one fixed address
            key={index}
            className="mr-2 inline-block even:text-primary"
          >
            {group}
          </span>
        ))}
      </code>
      <p className="mt-1 text-sm font-semibold">{networkNames[network] ?? network}</p>
    </>
  )
}
