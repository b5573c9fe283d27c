/**
 * The ASCII form of an address's domain whose letters are of several scripts: one of them can look like a letter of
 * another.
 */
export function disguised(text: string): string | undefined {
  const domain = text.split('@')[1]
  if (!domain || !/\p{sc=Latn}/u.test(domain) || !/[^\p{sc=Latn}\p{sc=Zyyy}\p{sc=Zinh}]/u.test(domain))
    return undefined
  const address = `http://${domain}`
  return URL.canParse(address) ? new URL(address).hostname : undefined
}

/** A person's name or address, as staff see it. Its direction does not change the text around it. */
export function Person({ name }: { name: string }) {
  const ascii = disguised(name)
  return (
    <>
      <bdi>{name}</bdi>
      {ascii ? <span className="font-mono"> ({ascii})</span> : null}
    </>
  )
}
