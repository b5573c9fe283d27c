import { groupsOfFour } from '@/lib/format'

/** A whole address, in groups that can be compared. */
export function GroupedAddress({ address }: { address: string }) {
  return (
    <p className="flex flex-wrap gap-x-2 font-mono text-sm">
      {groupsOfFour(address).map((group, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: groups may be alike, and never move
        <span key={place}>{group}</span>
      ))}
    </p>
  )
}
