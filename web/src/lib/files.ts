export const PDF = 'application/pdf'

/** Whether a file is what its type says, as far as the browser can tell. */
export async function isReadable(file: File): Promise<boolean> {
  if (file.type === PDF) return (await file.slice(0, 1024).text()).includes('%PDF-')
  if (!('createImageBitmap' in globalThis)) return true
  return createImageBitmap(file).then(
    (picture) => {
      picture.close()
      return true
    },
    () => false,
  )
}
